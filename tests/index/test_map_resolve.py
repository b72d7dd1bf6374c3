"""Which files an import means, in each language."""

from __future__ import annotations

from motet.index.map_facts import facts_of
from motet.index.map_resolve import Resolver


def targets(files: dict[str, str], path: str, manifests: dict[str, str] | None = None) -> dict[str, tuple[str, ...]]:
    return Resolver(files, manifests).targets(path, facts_of(path, files[path]))


def test_python_finds_packages_in_source_roots_and_modules_beside_a_script() -> None:
    files = {
        "src/app/__init__.py": "",
        "src/app/core.py": "import json\nfrom . import tools\nfrom .tools import cut, glue\nfrom .. import nothing\n",
        "src/app/tools/__init__.py": "",
        "src/app/tools/glue.py": "import app.core\nfrom app import core, VERSION\nfrom app.tools import *\n",
        "scripts/run.py": "import helper\nimport app\n",
        "scripts/helper.py": "",
        "tests/helper.py": "",
        "tests/test_run.py": "import helper, plain.deep\n",
        "plain/deep.py": "",
    }
    assert targets(files, "src/app/core.py") == {
        "src/app/tools/__init__.py": ("cut",),
        "src/app/tools/glue.py": (),
    }
    assert targets(files, "src/app/tools/glue.py") == {
        "src/app/core.py": (),
        "src/app/__init__.py": ("VERSION",),
        "src/app/tools/__init__.py": ("*",),
    }
    assert targets(files, "scripts/run.py") == {"scripts/helper.py": (), "src/app/__init__.py": ()}
    assert targets(files, "tests/test_run.py") == {"tests/helper.py": (), "plain/deep.py": ()}


def test_python_with_japanese_names() -> None:
    files = {
        "道具/__init__.py": "",
        "道具/計算.py": "",
        "主.py": "from 道具 import 計算\nfrom 道具.計算 import 合計\n",
    }
    assert targets(files, "主.py") == {"道具/計算.py": ("合計",)}


def test_typescript_finds_endings_directories_aliases_and_packages_of_the_project() -> None:
    files = {
        "web/src/main.ts": (
            'import a from "./a.js";\nimport "./views";\nimport { s } from "@/store";\nimport { b } from "@acme/base";\n'
            'import x from "react";\nimport { d } from "@acme/base/deep";\nexport * from "../../outside/of/it";\n'
        ),
        "web/src/a.ts": "",
        "web/src/views/index.tsx": "",
        "web/src/store.ts": "",
        "base/src/index.ts": "",
        "base/deep.ts": "",
    }
    manifests = {
        "web/tsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["./src/*"]}}}',
        "base/package.json": '{"name": "@acme/base"}',
    }
    assert targets(files, "web/src/main.ts", manifests) == {
        "web/src/a.ts": ("default",),
        "web/src/views/index.tsx": (),
        "web/src/store.ts": ("s",),
        "base/src/index.ts": ("b",),
        "base/deep.ts": ("d",),
    }


def test_go_finds_the_files_of_a_package() -> None:
    files = {
        "cmd/main.go": 'package main\nimport (\n"fmt"\n"acme.org/tool/store"\n"acme.org/tool"\n)\n',
        "store/a.go": "package store\n",
        "store/b.go": "package store\n",
        "store/b_test.go": "package store\n",
        "tool.go": "package tool\n",
    }
    assert targets(files, "cmd/main.go", {"go.mod": "module acme.org/tool\n\ngo 1.22\n"}) == {
        "store/a.go": (),
        "store/b.go": (),
        "tool.go": (),
    }
    assert targets(files, "cmd/main.go") == {}


def test_rust_finds_modules_parents_and_crates_of_the_workspace() -> None:
    files = {
        "app/src/main.rs": "mod shape;\nuse crate::shape::{circle::Circle, Area};\nuse std::io;\nuse tool_box::cut;\n",
        "app/src/shape/mod.rs": "pub mod circle;\n",
        "app/src/shape/circle.rs": "use super::Area;\nuse self::inner::X;\n",
        "tool-box/src/lib.rs": "",
        "tool-box/src/cut.rs": "",
    }
    manifests = {
        "tool-box/Cargo.toml": '[package]\nname = "tool-box"\n',
        "app/Cargo.toml": '[package]\nname = "app"\n',
    }
    assert targets(files, "app/src/main.rs", manifests) == {
        "app/src/shape/mod.rs": ("Area",),
        "app/src/shape/circle.rs": ("Circle",),
        "tool-box/src/cut.rs": (),
    }
    assert targets(files, "app/src/shape/mod.rs") == {"app/src/shape/circle.rs": ()}
    assert targets(files, "app/src/shape/circle.rs") == {"app/src/shape/mod.rs": ("Area",)}


def test_c_finds_headers_beside_the_file_and_the_nearest_below_any_directory() -> None:
    files = {
        "net/tcp.c": '#include "tcp.h"\n#include <stdio.h>\n#include <net/base.h>\n#include "../util/str.h"\n#include "list.h"\n',
        "net/tcp.h": "",
        "include/net/base.h": "",
        "util/str.h": "",
        "lib/list.h": "",
        "other/deep/list.h": "",
    }
    assert targets(files, "net/tcp.c") == {
        "net/tcp.h": (),
        "include/net/base.h": (),
        "util/str.h": (),
        "lib/list.h": (),
    }


def test_java_finds_classes_below_any_source_root() -> None:
    files = {
        "app/src/main/java/a/Main.java": "import a.b.Shape;\nimport java.util.List;\nimport static a.b.Tools.cut;\nimport a.c.*;\n",
        "app/src/main/java/a/b/Shape.java": "",
        "app/src/main/java/a/b/Tools.java": "",
        "app/src/main/java/a/c/One.java": "",
        "app/src/main/java/a/c/notes.txt": "",
    }
    assert targets(files, "app/src/main/java/a/Main.java") == {
        "app/src/main/java/a/b/Shape.java": ("Shape",),
        "app/src/main/java/a/b/Tools.java": ("cut",),
        "app/src/main/java/a/c/One.java": (),
    }


def test_an_import_that_climbs_out_of_the_project_means_nothing() -> None:
    files = {
        "a.py": "from ....x import y\nfrom . import b\n",
        "b.py": "",
        "a.ts": 'import "../../b";\nimport "";\nimport "/";\nimport ".";\n',
        "b.ts": "",
        "a.rs": "use super::super::super::b;\nuse crate::crate::c;\n",
        "a.c": '#include "../../../b.py"\n#include ""\n',
    }
    assert targets(files, "a.py") == {"b.py": ()}
    assert targets(files, "a.ts") == {}
    assert targets(files, "a.rs") == {}
    assert targets(files, "a.c") == {"b.py": ()}

"""Questions in Japanese, and in both languages at once, of code whose comments and documents are Japanese."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from index_kit import paths, put

from motet.index.project import ProjectIndex

FILES = {
    "src/database.py": '"""データベースへの接続を管理する。"""\n\ndef connect(url):\n    # 接続に失敗したときは、少し待ってから再試行する\n'
    "    return retry(open_connection, url)\n",
    "src/token.py": '"""認証トークンの発行と更新。"""\n\ndef refresh(token):\n    # 有効期限が切れる前にトークンを更新し、古いものを無効にする\n'
    "    return issue(token.user)\n",
    "src/cache.py": '"""計算結果のキャッシュ。"""\n\ndef invalidate(key):\n    # ファイルが書き換えられたら、対応するキャッシュを破棄する\n'
    "    store.pop(key, None)\n",
    "src/encoding.py": '"""文字コードの判定。"""\n\ndef detect(data):\n    # BOM がなければ UTF-8、だめなら Shift_JIS と EUC-JP を順に試す\n'
    '    return "utf-8"\n',
    "src/invoice.py": '"""請求書を作る。"""\n\nclass 請求書:\n    def 消費税を計算する(self, 金額):\n        # 端数は切り捨てる\n'
    "        return int(金額 * 0.1)\n",
    "src/logrotate.py": '"""ログファイルの世代管理。"""\n\ndef rotate(path):\n    # 一定の大きさを超えたログを圧縮して、古い世代を削除する\n'
    "    compress(path)\n",
    "src/ui/ダイアログ.py": "def show_dialog(message):\n    # 利用者に確認を求め、キャンセルされたら何もしない\n    ...\n",
    "docs/設計.md": "# 設計\n\nデータベース、キャッシュ、認証トークン、請求書、ログの各部品からなる。再試行は接続の部品が行う。\n",
    "tests/test_token.py": "def test_有効期限が切れたトークンは更新される(): ...\n",
}


@pytest.fixture
def index(project: Path, tmp_path: Path) -> Iterator[ProjectIndex]:
    put(project, FILES)
    index = ProjectIndex(project, tmp_path / "home")
    yield index
    asyncio.run(index.close())


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("接続に失敗したらどこで再試行しますか?", "src/database.py"),
        ("トークンの有効期限が切れる前に更新しているのはどこ", "src/token.py"),
        ("キャッシュを破棄する処理を探して", "src/cache.py"),
        ("文字コードはどう判定される？", "src/encoding.py"),
        ("Shift_JIS の判定", "src/encoding.py"),
        ("消費税の計算で端数を切り捨てている場所", "src/invoice.py"),
        ("古いログを圧縮", "src/logrotate.py"),
        ("キャンセルされたときのダイアログ", "src/ui/ダイアログ.py"),
        ("refresh で古い token を無効にする", "src/token.py"),
        ("where is a 請求書 made?", "src/invoice.py"),
        ("retry は データベース のどこ", "src/database.py"),
        ("トークンの更新のテストはどこ", "tests/test_token.py"),
        ("設計のドキュメントはどこにある", "docs/設計.md"),
    ],
)
def test_a_question_in_japanese_finds_its_file_first(question: str, path: str, index: ProjectIndex) -> None:
    assert paths(index, question)[0] == path

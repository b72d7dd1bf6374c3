"""The long tail of providers through pydantic-ai (`dialect = "pydantic-ai"`, the extra `motet[pydantic-ai]`).

`service` knows which providers there are and opens one, `watched` is the one road to it, `spoken` turns a conversation
into pydantic-ai's messages, `heard` its events into ours, `failed` its errors into ours; `model` puts them together.
pydantic-ai takes a second to import: nothing here does before a model of such a provider is chosen.
https://ai.pydantic.dev/direct/ describes what is used of it.
"""

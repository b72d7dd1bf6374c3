"""Tags: what kind of thing a message is. The strings are stored and read elsewhere: add, never rename."""

SYSTEM_PROMPT = "system_prompt_from_config"
DIAGNOSTICS = "diagnostics"
REVIEW = "review"
TOOL_OUTPUT = "tool_output"

# Completion of motet for bash: eval "$(motet completion bash)"
_motet() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames -o default 2>/dev/null ;;
            :dirs) compopt -o dirnames 2>/dev/null ;;
            *) COMPREPLY+=("$line") ;;
        esac
    done < <(command motet --complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -o nosort -F _motet motet 2>/dev/null || complete -F _motet motet

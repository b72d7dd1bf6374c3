#compdef motet
# Completion of motet for zsh: eval "$(motet completion zsh)" behind compinit, or a file _motet in $fpath
_motet() {
    local line
    local -a found
    for line in "${(@f)$(command motet --complete zsh "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        case $line in
            :files) _files ;;
            :dirs) _files -/ ;;
            ?*) found+=("$line") ;;
        esac
    done
    (( $#found )) && _describe -V motet found
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _motet "$@"
elif (( $+functions[compdef] )); then
    compdef _motet motet
fi

# Completion of motet for fish: motet completion fish > ~/.config/fish/completions/motet.fish
function __motet_complete
    set -l current (commandline -ct)
    for line in (command motet --complete fish (commandline -opc) "$current" 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path "$current"
            case ':dirs'
                __fish_complete_directories "$current"
            case '*'
                printf '%s\n' $line
        end
    end
end
complete --command motet --no-files --keep-order --arguments '(__motet_complete)'

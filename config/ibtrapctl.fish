# SPDX-License-Identifier: BSD-2-Clause
# Completion of ibtrapctl(8) for fish: what the completion for bash offers.

function __ibtrapctl
    bash @COMPLETIONS@/ibtrapctl (commandline -opc) (commandline -ct) 2>/dev/null
end

complete -c ibtrapctl -f -a '(__ibtrapctl)'

# SPDX-License-Identifier: BSD-2-Clause
"""Completion for bash, zsh and fish: every command and option of ibtrapctl --help, word by word, and their values."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ['IBTRAPD_BUILD_DIR'])

ASK = '''
source "$1" && shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_ibtrapctl "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
'''

ASK_IBTRAPD = '''
source "$1"
COMPREPLY=()
_ibtrapd "$2" "$4" "$3"
printf '%s\\n' "${COMPREPLY[@]}"
'''

# A script that prints the completions.
FAKE = '''#!/bin/sh
case "$*" in
completion) cat <<X
command alarms 
command receivers pause|resume RECEIVER
command receivers forget RECEIVER
command log LEVEL [FOLDER]
command test EVENT [OPTION]...
command alarms shelve ALARM MINUTES
command dry-run CONFIG
command explain N|ID|last
command port NODE/PORT
command topology diff A B
command maintenance stop WINDOW
takes test: --json --receiver
command help [COMMAND]...
option --instance INSTANCE
option -i INSTANCE
option --socket PATH
option --since TIME
option --severity SEVERITY
option --event EVENT
option --receiver RECEIVER
option --json 
values SEVERITY error warning
values EVENT link-up link-down
values LEVEL error warning info debug
values FOLDER base sink
X
;;
*'completion ALARM') echo 4 ;;
'completion GONE') [ ! -f "$0.gone" ] || echo siem ;;
'completion RECEIVER') printf 'nms\\narchive\\n' ;;
'--socket other completion RECEIVER') echo beyond ;;
'completion NODE') printf 'leaf1\\nnode1\\n' ;;
'completion SNAPSHOT') printf '7\\n8\\n' ;;
'completion WINDOW') echo rack7 ;;
esac
'''


def complete(*words, program=BUILD / 'ibtrapctl'):
    done = subprocess.run(['bash', '-uc', ASK, 'bash', SOURCE / 'config/ibtrapctl.bash', program, *words],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == '', done.stderr
    return done.stdout.split()


def shown_commands():
    shown = subprocess.run([BUILD / 'ibtrapctl', '--help'], capture_output=True, text=True, check=True)
    return re.findall(r'^  ([a-z]+(?:[- ][a-z]+)*)(?= )', shown.stdout, re.MULTILINE)


def test_every_command_is_offered_word_by_word():
    commands = [command.split() for command in shown_commands()]
    assert ['journal', 'prune'] in commands
    for command in commands:
        for n, word in enumerate(command):
            offered = complete(*command[:n], '')
            assert word in offered
            assert set(offered) == {other[n] for other in commands if len(other) > n and other[:n] == command[:n]}


def test_only_what_begins_so_is_offered():
    assert complete('stat') == ['status']
    assert complete('nothing', '') == []
    assert complete('status', '') == []
    assert complete('completion', '') == [] and 'completion' not in complete('')
    assert 'diff' in complete('--json', 'topology', 'd')


def test_every_option_is_offered():
    options = subprocess.run([BUILD / 'ibtrapctl', '--help'], capture_output=True, text=True, check=True).stdout
    assert set(complete('-')) >= set(re.findall(r'--[a-z]+', options)) >= {'--socket', '--json'}
    assert complete('--so') == ['--socket']
    assert '--follow' in complete('events', '-') and '--follow' not in complete('alarms', 'clear', '-')
    shown = subprocess.run([BUILD / 'ibtrapctl', 'catalogue', '--json'], capture_output=True, text=True, check=True).stdout
    assert set(complete('test', '')) == {event['event'] for event in json.loads(shown)['events']}


def test_words_typed_so_far_are_no_script(tmp_path):
    assert complete('port', 'leaf1/1', '--js') == ['--json']
    assert complete('alarms', 'clear', '[1', 'x*', '--so') == ['--socket']
    assert '--follow' in complete('events', '.*', '-') and complete('.*', '--fo') == ['--follow']
    assert complete('dry-run', f'x//;1w {tmp_path}/written\n#', '--so') == ['--socket']
    assert not list(tmp_path.iterdir())


def test_files_are_offered_for_options(tmp_path):
    (tmp_path / 'a b.sock').touch()
    (tmp_path / 'other').touch()
    assert ' '.join(complete('--socket', f'{tmp_path}/a')) == f'{tmp_path}/a b.sock'
    assert complete('--socket', 'status', 'journal', 'ch') == ['check']


def test_files_are_offered_for_words(tmp_path):
    (tmp_path / 'expected').touch()
    for command in (['topology', 'save'], ['topology', 'check'], ['dry-run']):
        assert complete(*command, f'{tmp_path}/e') == [f'{tmp_path}/expected']
    assert complete('topology', 'check', tmp_path / 'expected', '') == ['guid', 'name']


def test_every_folder_and_severity_is_offered():
    folders = {path.name for path in (SOURCE / 'gateway').iterdir() if path.is_dir()}
    offered = set(complete('log', 'debug', ''))
    assert folders > offered >= {'ib', 'sink', 'pipeline', 'control'} and 'base' not in offered
    assert set(complete('events', '--severity', '')) >= {'emergency', 'notice', 'debug'}


@pytest.fixture
def fake(tmp_path):
    program = tmp_path / 'ibtrapctl'
    program.write_text(FAKE)
    program.chmod(0o755)
    (tmp_path / 'new.conf').touch()
    return program


OFFERED = [
    (['receivers', ''], {'pause', 'resume', 'forget'}),
    (['receivers', 'pause', ''], {'nms', 'archive'}),
    (['receivers', 'stop', ''], set()),
    (['log', ''], {'error', 'warning', 'info', 'debug'}),
    (['log', 'debug', 's'], {'sink'}),
    (['test', 'link-d'], {'link-down'}),
    (['test', '--receiver', 'n'], {'nms'}),
    (['test', '--receiver', 'nms', 'link-u'], {'link-up'}),
    (['events', '--severity', 'w'], {'warning'}),
    (['events', '--event', 'link-u'], {'link-up'}),
    (['events', '--since', ''], set()),
    (['--json', 'log', 'debug', ''], {'base', 'sink'}),
    (['help', 'a'], {'alarms'}),
    (['help', 'alarms', ''], {'shelve'}),
    (['help', 'log', ''], set()),
    (['alarms', 'shelve', ''], {'4'}),
    (['dry-'], {'dry-run'}),
    (['--socket', 'other', 'receivers', 'pause', ''], {'beyond'}),
    (['test', 'link-up', '-'], {'--json', '--receiver'}),
    (['port', 'l'], {'leaf1/'}),
    (['topology', 'diff', '7', ''], {'7', '8', 'now'}),
    (['maintenance', 'stop', ''], {'rack7'}),
    (['explain', ''], {'last'}),
]


@pytest.mark.parametrize('words, offered', OFFERED)
def test_values_are_offered(fake, words, offered):
    assert set(complete(*words, program=fake)) == offered


# What compadd of zsh gets.
ASK_ZSH = '''
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -lr -- "$@" }
file=$1 && shift
words=("$@") CURRENT=$#
set --
source $file
'''


def script_of(shell, directory):
    """The completion for the shell, by the sources' completion for bash."""
    script = directory / f'completion.{shell}'
    text = (SOURCE / f'config/ibtrapctl.{shell}').read_text()
    script.write_text(text.replace('@COMPLETIONS@/ibtrapctl', str(SOURCE / 'config/ibtrapctl.bash')))
    return script


@pytest.mark.skipif(not shutil.which('zsh'), reason='zsh is not installed')
@pytest.mark.parametrize('words, offered', OFFERED)
def test_zsh_offers_the_same(fake, words, offered):
    done = subprocess.run(['zsh', '-fc', ASK_ZSH, 'zsh', script_of('zsh', fake.parent), fake, *words], capture_output=True,
                          text=True, timeout=300)
    assert (done.stderr, set(done.stdout.split())) == ('', offered)


@pytest.mark.skipif(not shutil.which('fish'), reason='fish is not installed')
@pytest.mark.parametrize('words, offered', OFFERED)
def test_fish_offers_the_same(fake, words, offered):
    ask = f'source {script_of("fish", fake.parent)}; complete -C "ibtrapctl {" ".join(words)}"'
    done = subprocess.run(['fish', '--no-config', '-c', ask], capture_output=True, text=True, timeout=300,
                          env=os.environ | {'PATH': f'{fake.parent}:{os.environ["PATH"]}', 'HOME': str(fake.parent)})
    assert (done.stderr, set(done.stdout.split())) == ('', offered)


def test_a_receiver_to_forget_is_one_that_is_gone(fake):
    assert complete('receivers', 'forget', '', program=fake) == []
    fake.with_suffix('.gone').touch()
    assert complete('receivers', 'forget', '', program=fake) == ['siem']
    assert complete('receivers', 'pause', '', program=fake) == ['archive', 'nms']


def test_files_are_offered_for_values(fake):
    assert complete('dry-run', f'{fake.parent}/n', program=fake) == [f'{fake.parent}/new.conf']


def complete_ibtrapd(before, word):
    done = subprocess.run(['bash', '-uc', ASK_IBTRAPD, 'bash', SOURCE / 'config/ibtrapd.bash', BUILD / 'ibtrapd', before,
                           word], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stderr == '', done.stderr
    return done.stdout.split()


def test_every_option_of_the_daemon_is_offered(tmp_path):
    shown = subprocess.run([BUILD / 'ibtrapd', '--help'], capture_output=True, text=True, check=True).stdout
    assert set(complete_ibtrapd('', '')) == set(re.findall(r'--[a-z][-a-z]+', shown)) >= {'--print-config', '--config'}
    assert complete_ibtrapd('', '--pr') == ['--print-config']
    (tmp_path / 'new.conf').touch()
    assert complete_ibtrapd('--config', f'{tmp_path}/n') == [f'{tmp_path}/new.conf']


@pytest.mark.parametrize('ask', [
    lambda: complete('dry-run', 'x'),
    lambda: complete_ibtrapd('--config', 'x'),
])
def test_the_name_of_a_file_is_not_carried_out(ask, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'x$(touch owned)').touch()
    assert ' '.join(ask()) == 'x$(touch owned)'
    assert not (tmp_path / 'owned').exists()

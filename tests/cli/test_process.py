"""The command as a process: its entry points, pipes, interruption, and what it imports."""

import os
import signal
import subprocess
import sys
import time

import pytest

AIINFRA = [sys.executable, "-m", "aiinfra"]


def process(*words, **more):
    return subprocess.run([*AIINFRA, *words], capture_output=True, text=True, timeout=120, **more)


def test_module_and_version():
    from aiinfra import __version__

    assert process("--version").stdout == f"aiinfra, version {__version__}\n"


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (("eval", "kv-byte"), 2, "aiinfra: unknown formula 'kv-byte'; near: kv-bytes"),
        (("estimate", "--model", "llama-3.1-8b"), 2, "aiinfra: scenario: a scenario needs device"),
        (("model",), 2, "aiinfra: Missing argument 'NAME|PATH'."),
        (("list", "formulas", "--tsv"), 2, "aiinfra: No such option"),
    ],
)
def test_exit_codes_and_one_line(words, code, line):
    done = process(*words)
    assert done.returncode == code and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(line)


@pytest.mark.parametrize(("limit", "code"), [("<=328kB", 0), ("<=327kB", 1)])
def test_a_limit_sets_the_exit_code_of_the_process(limit, code):
    done = process("eval", "kv-bytes-per-token", "--model", "llama-3.1-70b", "--assert", limit)
    assert done.returncode == code and done.stdout.startswith("kv-bytes-per-token = 327.7 kB")


def test_a_wrong_claim_sets_the_exit_code_of_the_process():
    done = process("check", "-", input="kv-bytes-per-token model=llama-3.1-70b = 2621 kB\n")
    assert done.returncode == 1 and "query heads" in done.stdout and done.stderr == ""


def test_without_arguments_it_says_how_to_use_it():
    done = process()
    assert done.returncode == 0 and done.stderr == "" and done.stdout == process("--help").stdout
    assert done.stdout.startswith("Usage: aiinfra ") and len(done.stdout.splitlines()) > 20


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has /dev/full, a file that is always full")
@pytest.mark.parametrize("line", ["list symbols", "eval kv-bytes-per-token --model llama-3.1-70b --json", "--help", ""])
def test_a_full_disk_is_one_line(line):
    with open("/dev/full", "w") as full:
        done = subprocess.run([*AIINFRA, *line.split()], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr == "aiinfra: output: No space left on device\n"


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252"])
def test_a_terminal_without_some_letters_still_gets_the_numbers(encoding):
    done = process("show", "h100-sxm", env=os.environ | {"PYTHONIOENCODING": encoding}, encoding=encoding, errors="replace")
    assert done.returncode == 0 and done.stderr == "" and "3.35 TB/s" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT that one process can send another")
def test_an_interruption_while_it_waits_is_quiet():
    started = subprocess.Popen([*AIINFRA, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    started.send_signal(signal.SIGINT)
    out, errors = started.communicate(timeout=60)
    assert started.returncode == 130 and out == "" and errors.strip() == ""


def test_a_reader_that_goes_away_is_no_error():
    done = subprocess.run(f"{sys.executable} -m aiinfra list symbols --csv | head -1", shell=True, capture_output=True, text=True)
    assert done.stdout == "name,says\n" and done.stderr == ""


def test_an_interruption_is_quiet_and_keeps_what_is_done(tmp_path):
    out = tmp_path / "points.csv"
    words = ["sweep", "--model", "llama-3.1-70b", "--device", "h100-sxm", "--over", "tp=1,2,4,8", "--over", "weights=bf16,fp8,int8,int4"]
    words += ["--over", "prompt=1..8000:2", "--over", "batch=1,2", "--out", str(out), "--result", "decode.bound"]
    started = subprocess.Popen([*AIINFRA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=120)
    assert started.returncode in (0, 130) and "Traceback" not in errors
    if started.returncode == 0:
        assert out.read_text().startswith("tp,weights,prompt,batch,decode.bound\n")


@pytest.mark.parametrize(
    "line",
    [
        "import aiinfra.cli", "--help", "list formulas", "eval kv-bytes-per-token --model llama-3.1-70b --json",
        "model llama-3.1-8b --json",
        "estimate --model llama-3.1-70b --device h100-sxm --tp 8 --json", "explain kv-bytes --model llama-3.1-8b batch=1 context=1",
    ],
)  # fmt: skip
def test_nothing_heavy_is_imported(line):
    code = "import sys\nfrom aiinfra.cli import cli\ntry: cli(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "heavy = {'sympy', 'numpy'} & sys.modules.keys()\nassert not heavy, heavy"
    words = [] if line.startswith("import") else line.split()
    done = subprocess.run([sys.executable, "-c", code, *(words or ["--version"])], capture_output=True, text=True, env=os.environ.copy())
    assert done.returncode == 0, done.stderr[-2000:]


def test_tables_are_plain_and_whole_in_a_pipe():
    done = process("list", "symbols", env=os.environ | {"COLUMNS": "20", "TERM": "xterm-256color"})
    assert "\x1b" not in done.stdout and "…" not in done.stdout.replace("…,", "")
    assert "key/value heads per layer" in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_names(shell):
    words = {"COMP_WORDS": "aiinfra eval kv-bytes-per", "COMP_CWORD": "kv-bytes-per" if shell == "fish" else "2"}
    env = os.environ | words | {"_AIINFRA_COMPLETE": f"{shell}_complete"}
    code = "from aiinfra.cli import cli; cli(prog_name='aiinfra')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert "kv-bytes-per-token" in done.stdout


def test_a_sweep_without_numpy_says_what_to_install():
    code = "import sys; sys.modules['numpy'] = None\nfrom aiinfra.cli import main; main()"
    words = ["sweep", "--model", "llama-3.1-8b", "--device", "h100-sxm", "--over", "batch=1,2"]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "aiinfra: a sweep needs NumPy: pip install 'aiinfra[arrays]'\n"

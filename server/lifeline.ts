import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ProcessOwner } from "./postgres-binaries";

export type Lifeline = {
  /** A file. Whoever holds it open keeps the server running: this process, and children that get it as a file of theirs. */
  end: number;
  /** The server that is stopped when nobody holds the line any more. */
  watch: (pid: number) => void;
  cut: () => void;
};

export type LifelineOptions = {
  /** Where PostgreSQL has its data, and where this process may make files. */
  data: string;
  directory: string;
  owner: ProcessOwner;
  tell?: ((message: string) => void) | undefined;
};

/**
 * A shell that waits for the end of its input, which comes when all holders have exited, however they did. Then it stops
 * the server as SIGTERM to Weir would, if that server still runs.
 */
const script = `
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] && [ "$(head -n 1 "$1/postmaster.pid")" = "$pid" ] && kill -INT "$pid"`;

/** Time between the end of a shell and the next one. */
const restartMs = 500;
/** It is only a safeguard: without it the next start stops the server that was left. */
const unguarded = "PostgreSQL would outlive a kill -9 of Weir";

/** Stops the PostgreSQL of a directory when this process and its children are gone, also after kill -9. Null on Windows. */
export function startLifeline({ data, directory, owner, tell }: LifelineOptions): Lifeline | null {
  if (process.platform === "win32") return null;
  const pipe = openPipe(join(directory, `lifeline-${process.pid}`));
  if (typeof pipe === "string") {
    tell?.(`${unguarded}: ${pipe}`);
    return null;
  }
  const { entry, exit } = pipe;
  let server: number | null = null;
  let isCut = false;
  let shell = launch();

  function launch(): ChildProcess {
    const launched = spawn("/bin/sh", ["-c", script, "weir-lifeline", data], {
      ...(owner ?? {}),
      cwd: "/",
      env: { NODE_ENV: "production", PATH: process.env.PATH },
      // Detached: Ctrl-C in the terminal must not end it before the server.
      detached: true,
      stdio: [exit, "ignore", "ignore"],
    });
    launched.once("error", (error) => tell?.(`${unguarded}: ${error.message}`));
    launched.once("exit", () => setTimeout(relaunch, restartMs).unref());
    launched.unref();
    return launched;
  }
  function relaunch(): void {
    if (isCut) return;
    tell?.("the shell that guards PostgreSQL ended; starting it again");
    // Before the shell starts: this process may be killed at any moment after that.
    if (server !== null) watch(server);
    shell = launch();
  }
  function watch(pid: number): void {
    server = pid;
    writeSync(entry, `${pid}\n`);
  }
  return {
    end: entry,
    watch,
    cut() {
      isCut = true;
      shell.kill("SIGKILL");
      for (const file of [entry, exit]) closeSync(file);
    },
  };
}

/**
 * Both ends of a new pipe, or why there is none. This process keeps the exit open too, so that another shell can go on
 * where one was killed, at the same pipe that the children hold.
 */
function openPipe(path: string): { entry: number; exit: number } | string {
  rmSync(path, { force: true });
  const made = spawnSync("mkfifo", ["-m", "600", path], { encoding: "utf8" });
  if (made.status !== 0) return made.error?.message ?? made.stderr.trim();
  try {
    // Opening one end waits for the other, and this opens both.
    const both = openSync(path, "r+");
    const pipe = { exit: openSync(path, "r"), entry: openSync(path, "w") };
    closeSync(both);
    return pipe;
  } finally {
    rmSync(path);
  }
}

import { spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { ProcessOwner } from "./postgres-binaries";

export type Lifeline = {
  /** Whoever holds this open keeps the server running: this process, and children that get it as a file of theirs. */
  end: Writable;
  /** The server that is stopped when nobody holds the line any more. */
  watch: (pid: number) => void;
  cut: () => void;
};

/**
 * A shell that waits for the end of its input, which comes when all holders have exited, however they did. Then it stops
 * the server as SIGTERM to Weir would, if that server still runs.
 */
const script = `
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] && [ "$(head -n 1 "$1/postmaster.pid")" = "$pid" ] && kill -INT "$pid"`;

/** Stops the PostgreSQL of a directory when this process and its children are gone, also after kill -9. Null on Windows. */
export function startLifeline(data: string, owner: ProcessOwner): Lifeline | null {
  if (process.platform === "win32") return null;
  const shell = spawn("/bin/sh", ["-c", script, "weir-lifeline", data], {
    ...(owner ?? {}),
    cwd: "/",
    env: { NODE_ENV: "production", PATH: process.env.PATH },
    // Detached: Ctrl-C in the terminal must not end it before the server.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const { stdin } = shell;
  // It is only a safeguard: without a shell the next start stops the server that was left.
  for (const part of [shell, stdin]) part.on("error", () => {});
  shell.unref();
  if ("unref" in stdin && typeof stdin.unref === "function") stdin.unref();
  return {
    end: stdin,
    watch: (pid) => void stdin.write(`${pid}\n`),
    cut: () => void shell.kill("SIGKILL"),
  };
}

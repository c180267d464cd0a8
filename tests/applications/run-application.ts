import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../../.applications/node_modules/", import.meta.url));

/** A home folder that knows nothing, and a folder to work in. */
export type Place = { home: string; work: string; remove: () => void };

export function createPlace(files: Record<string, string> = {}): Place {
  const root = mkdtempSync(join(tmpdir(), "weir-application-"));
  const place = { home: join(root, "home"), work: join(root, "work") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { ...place, remove: () => rmSync(root, { recursive: true, force: true }) };
}

export type Ended = {
  /** Null = it was killed because its time was over. */
  code: number | null;
  output: string;
  errors: string;
  /** Addresses outside this machine that it wanted to reach; none was reached. */
  outside: string[];
};

type Application = { script: string; args: string[]; env: Record<string, string>; input?: string };

/** Runs a program of an installed package without a person, a terminal or the internet. */
export async function runApplication(place: Place, application: Application, limitMs = 90_000): Promise<Ended> {
  const { script, args, env, input = "" } = application;
  const fence = await startFence();
  const { PATH } = process.env;
  const usual = { PATH, NODE_ENV: "production" as const, HOME: place.home, LANG: "C.UTF-8", TERM: "dumb" };
  // Its group ends with it, whatever it has started.
  const options = { cwd: place.work, detached: true, env: { ...usual, ...fence.env, ...env } };
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [join(packages, script), ...args], options);
  const ended = { code: null as number | null, output: "", errors: "", outside: fence.asked };
  child.stdout.on("data", (data) => (ended.output += String(data)));
  child.stderr.on("data", (data) => (ended.errors += String(data)));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const killGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It is over already.
    }
  };
  const timer = setTimeout(killGroup, limitMs);
  ended.code = await new Promise((done) => child.once("close", done));
  clearTimeout(timer);
  killGroup();
  await fence.close();
  return ended;
}

/** A proxy that lets nothing through but says what was asked for. Programs that respect it reach this machine only. */
async function startFence() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: "127.0.0.1,localhost" };
  const lower = Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    asked,
    env: { ...names, ...lower },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

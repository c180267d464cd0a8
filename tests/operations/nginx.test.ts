import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:https";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type Relay, startRelay, until } from "@/tests/relay/harness";
import { freePort } from "@/tools/bench/alternatives";
import { needPackages } from "./packages";

const NGINX = "/usr/sbin/nginx";
const folder = createRunFolder("nginx");
const config = join(folder, "nginx.conf");
let relay: Relay;
let nginx: ChildProcess;
let port: number;

function run(program: string, args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}:\n${stderr}`);
}

/** ops/nginx/weir.conf as it is, but for ports and the certificate. */
async function writeConfig(): Promise<void> {
  const [crt, key] = [join(folder, "weir.crt"), join(folder, "weir.key")];
  const subject = ["-subj", "/CN=weir.example.com", "-days", "2"];
  run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", crt, ...subject]);
  port = await freePort();
  const text = readFileSync(join("ops", "nginx", "weir.conf"), "utf8")
    .replace("server 127.0.0.1:3000;", `server ${new URL(relay.url).host};`)
    .replace("listen 80;", `listen 127.0.0.1:${await freePort()};`)
    .replace("listen 443 ", `listen 127.0.0.1:${port} `)
    .replace("/etc/nginx/weir.crt", crt)
    .replace("/etc/nginx/weir.key", key);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(
    config,
    `daemon off; pid ${join(folder, "pid")}; error_log stderr; events {}\nhttp { access_log off; ${paths.join(" ")}\n${text}\n}\n`,
  );
}

beforeAll(async () => {
  needPackages({ [NGINX]: "nginx-light", "/usr/bin/openssl": "openssl" });
  relay = await startRelay({ channels: [{}] });
  await relay.database.sql`update channels set model_mapping = '{"fake-gpt":"fake-gpt:chunks=20:pace=30"}'`;
  await relay.inForce();
  await writeConfig();
  run(NGINX, ["-t", "-c", config]);
  nginx = spawn(NGINX, ["-c", config], { stdio: "ignore" });
});

afterAll(async () => {
  nginx?.kill("SIGTERM");
  if (nginx && nginx.exitCode === null) await once(nginx, "exit");
  await relay?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The pieces in which the answer arrives, by HTTP/1.1. */
function stream(key: string): Promise<{ status: number; pieces: string[] }> {
  const body = JSON.stringify({ model: "fake-gpt", stream: true, messages: [{ role: "user", content: "hi" }] });
  return new Promise((done, fail) => {
    const call = send(
      {
        host: "127.0.0.1",
        port,
        path: "/v1/chat/completions",
        method: "POST",
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      },
      (response) => {
        const pieces: string[] = [];
        response.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
        response.on("end", () => done({ status: response.statusCode ?? 0, pieces }));
      },
    );
    call.on("error", fail).end(body);
  });
}

test("nginx accepts the configuration and passes a stream piece by piece", async () => {
  const { token } = await relay.addCaller();
  await until(async () => (await stream(token.key).catch(() => ({ status: 0 }))).status === 200, 100_000);
  const { pieces } = await stream(token.key);
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.join("")).toMatch(/data: \[DONE\]\n\n$/);
});

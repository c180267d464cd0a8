import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";

export type Haproxy = {
  url: string;
  port: number;
  /** Resolves when it sends requests to the server, or no longer does. */
  untilServer: (index: number, state: "UP" | "DOWN") => Promise<void>;
  stop: () => Promise<void>;
};

/** Runs ops/haproxy/haproxy.cfg, without TLS and with the servers at these ports. */
export async function startHaproxy(folder: string, ports: number[]): Promise<Haproxy> {
  const [port, statsPort] = [await freePort(), await freePort()];
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, adapted(port, statsPort, ports));
  const running: ChildProcess = spawn("/usr/sbin/haproxy", ["-db", "-f", file], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [running.stdout, running.stderr]) {
    stream?.on("data", (part: Buffer) => {
      output = (output + part.toString()).slice(-5_000);
    });
  }
  const stateOf = async (index: number): Promise<string> => {
    if (running.exitCode !== null) throw new Error(`HAProxy ended:\n${output}`);
    const csv = await fetch(`http://127.0.0.1:${statsPort}/;csv`).then(
      (answer) => answer.text(),
      () => "",
    );
    const row = csv.split("\n").find((line) => line.startsWith(`weir,weir${index + 1},`));
    return row?.split(",")[17] ?? "unknown";
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async untilServer(index, state) {
      await until(
        `HAProxy has server ${index} ${state}`,
        async () => (await stateOf(index)).startsWith(state),
        100_000,
      );
    },
    async stop() {
      if (running.exitCode !== null || running.signalCode !== null) return;
      running.kill("SIGKILL");
      await once(running, "exit");
    },
  };
}

function adapted(port: number, statsPort: number, ports: number[]): string {
  const text = readFileSync(join("ops", "haproxy", "haproxy.cfg"), "utf8")
    .replace("maxconn 20000", "maxconn 1000")
    .replace(/^ {4}bind :80$/m, `    bind 127.0.0.1:${port}`)
    .replace(/^ {4}bind :443 .*\n/m, "")
    .replace(/^ {4}http-request redirect .*\n/m, "")
    .replace("http-request set-header X-Forwarded-Proto https", "http-request set-header X-Forwarded-Proto http")
    .replace(
      /^ {4}server weir(\d) .*$/gm,
      (_line, number) => `    server weir${number} 127.0.0.1:${ports[number - 1]}`,
    );
  return `${text}
frontend stats
    bind 127.0.0.1:${statsPort}
    stats enable
    stats uri /
`;
}

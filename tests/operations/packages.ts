import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs what is missing of Debian's packages. Throws with the command to run where that is not allowed or fails. */
export function needPackages(programs: Record<string, string>): void {
  const missing = Object.entries(programs).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(" ")}`;
  if (process.getuid?.() !== 0) throw new Error(`as root, run: ${command}`);
  const run = (text: string) => spawnSync("sh", ["-c", `DEBIAN_FRONTEND=noninteractive ${text}`], { encoding: "utf8" });
  run("apt-get update");
  const { status, stderr } = run(command);
  if (status !== 0) throw new Error(`${command} failed:\n${stderr}`);
}

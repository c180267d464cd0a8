import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Test files run beside each other, and apt refuses a second run of itself. */
const lock = join(tmpdir(), "weir-test-packages.lock");
const lockSeconds = 600;
/** Of the lists another program may hold the lock, for which apt-get update does not wait. */
const updates = 5;

/**
 * Installs what is missing of Debian's packages, by the path of a program of each. Throws with the command to run where that
 * is not allowed or fails.
 */
export function needPackages(programs: Record<string, string>): void {
  const missing = Object.keys(programs).filter((path) => !existsSync(path));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map((path) => programs[path]))].join(" ");
  const command = `apt-get install -y --no-install-recommends ${names}`;
  if (process.getuid?.() !== 0) throw new Error(`as root, run: ${command}`);
  const script = `
    if ls ${missing.join(" ")} >/dev/null 2>&1; then exit 0; fi
    for try in $(seq ${updates}); do apt-get update && break; sleep $try; done
    ${command} -o DPkg::Lock::Timeout=${lockSeconds}`;
  const { status, stderr, error } = spawnSync("flock", ["-w", String(lockSeconds), lock, "sh", "-c", script], {
    encoding: "utf8",
    // Debian's packages start their servers, which would take the usual ports.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
  });
  const absent = missing.filter((path) => !existsSync(path));
  if (absent.length === 0) return;
  const reason = error?.message ?? (status === 0 ? "the packages do not have it" : stderr.trim().slice(-1_000));
  throw new Error(`${absent.join(", ")} is missing, and this failed: ${command}\n${reason}`);
}

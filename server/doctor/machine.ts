import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Env } from "@/lib/env";
import { listenProblem } from "../ports";
import { type Finding, messageOf, ok, problem, warning } from "./finding";

const GIB = 1_073_741_824;

/** The month after which a version gets no security updates, from https://github.com/nodejs/release#release-schedule */
const lastMonthOfNode: Record<number, string> = {
  20: "2026-04",
  21: "2024-06",
  22: "2027-04",
  23: "2025-06",
  24: "2028-04",
  25: "2026-06",
  26: "2029-04",
};

export function checkNode(version = process.versions.node, now = new Date()): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const advice = "Install Node.js 24 (LTS), or a later LTS.";
  if (major < 20 || (major === 20 && minor < 19)) {
    return problem("node", `${version} is too old: Weir needs 20.19 or newer`, advice);
  }
  const last = lastMonthOfNode[major];
  if (last && now.toISOString().slice(0, 7) > last) {
    return warning("node", `${version} has had no security updates since ${last}`, advice);
  }
  return ok("node", version);
}

/** The zones that budgets and charts of an operator may be set to. */
export function checkTimeZones(): Finding {
  try {
    new Intl.DateTimeFormat("en", { timeZone: "Asia/Shanghai" });
    return ok("time zones", process.versions.tz ?? "known");
  } catch {
    return problem(
      "time zones",
      "Node.js has no time zone data",
      "Use a Node.js with full ICU, as nodejs.org builds it.",
    );
  }
}

export async function checkPort({ PORT, HOST }: Pick<Env, "PORT" | "HOST">): Promise<Finding> {
  const found = await listenProblem(PORT, HOST);
  if (found === null) return ok("port", `${PORT} is free (no Weir runs here)`);
  try {
    const host = HOST === "0.0.0.0" || HOST === "::" ? "127.0.0.1" : HOST;
    const answer = await fetch(`http://${host}:${PORT}/api/status`, { signal: AbortSignal.timeout(5_000) });
    const body: unknown = await answer.json();
    if (typeof body === "object" && body !== null && "success" in body) return ok("port", `${PORT}: Weir answers`);
  } catch {
    // Whatever it is, it is not Weir.
  }
  return problem("port", found.text, found.advice);
}

export function checkDataDirectory(directory: string): Finding {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    return problem(
      "data directory",
      `${existing} cannot be written`,
      "Change its owner to the account that runs Weir.",
    );
  }
  if (existing !== directory) return ok("data directory", `${directory} does not exist yet; the first start makes it`);
  const own = process.getuid?.();
  // Of the folder itself the group may suffice, as in a volume of Kubernetes.
  const other = ["secret", "postgres", "journal"]
    .map((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.uid)
    .find((uid) => uid !== undefined && uid !== own);
  if (own !== undefined && own !== 0 && other !== undefined) {
    const text = `what is in ${directory} belongs to account ${other}, this is ${own}`;
    return warning("data directory", text, "Run as its owner.");
  }
  return ok("data directory", directory);
}

export function checkDisk(directory: string): Finding {
  let existing = directory;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    const { bavail, bsize } = statfsSync(existing);
    const free = bavail * bsize;
    const text = `${(free / GIB).toFixed(1)} GiB free at ${existing}`;
    if (free < GIB / 2) return problem("disk", text, "Free space now: a full disk stops the database.");
    return free < 5 * GIB
      ? warning("disk", text, "Free space, or keep less log (Settings, Operation).")
      : ok("disk", text);
  } catch (error) {
    return warning("disk", messageOf(error), "Look at the free space by hand.");
  }
}

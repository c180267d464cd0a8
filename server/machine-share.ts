import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { dirname, join } from "node:path";

const MIB = 1_048_576;
/** What a gateway process needs under load, and all other processes together; tools/bench/README.md has measurements. */
const GATEWAY_BYTES = 128 * MIB;
const OTHERS_BYTES = 384 * MIB;

/**
 * How many gateway processes run where WEIR_GATEWAY_WORKERS does not say it: one for each processor that this container may
 * use, as far as its memory suffices. Before version 22 Node.js counts all processors of the machine, whatever the container's quota.
 */
export function defaultGateways(): number {
  const byMemory = Math.floor((usableBytes() - OTHERS_BYTES) / GATEWAY_BYTES);
  return Math.max(1, Math.min(availableParallelism(), Math.floor(processorQuota()), byMemory));
}

/** At most, by the pools of each process: docs/operations/deploy.md has the table. */
const CONNECTIONS = { eachGateway: 15, others: 23 };
/** Those that PostgreSQL keeps for administrators, and a few commands. */
const CONNECTIONS_BESIDE = 17;
const CONNECTIONS_MIN = 200;

/** The connections to PostgreSQL that a machine with so many gateways opens. */
export function connectionsUsed(gateways: number): number {
  return gateways * CONNECTIONS.eachGateway + CONNECTIONS.others;
}

/** What the built-in PostgreSQL allows: while processes are replaced, the old ones have their connections as long as they drain. */
export function connectionsAllowed(gateways: number): number {
  return Math.max(CONNECTIONS_MIN, 2 * connectionsUsed(gateways) + CONNECTIONS_BESIDE);
}

/** A container may have less memory than its machine; 0 = unknown. */
export function usableBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/**
 * The processors that control groups allow this process, which may be a fraction; infinity = no limit. Of version 1 and 2, its
 * own group and those above it. Inside a container the path of the group may be the host's, hence the root as well.
 */
export function processorQuota(root = "/sys/fs/cgroup", listFile = "/proc/self/cgroup"): number {
  const groups = (read(listFile) ?? "").split("\n").flatMap((line) => {
    const [, controllers = "", path = ""] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === "") return [root, join(root, "unified")].map((mount) => ({ mount, path }));
    return controllers.split(",").includes("cpu")
      ? ["cpu", "cpu,cpuacct"].map((name) => ({ mount: join(root, name), path }))
      : [];
  });
  const quotas = groups.flatMap(({ mount, path }) => upwards(path).map((part) => quotaOf(join(mount, part))));
  return Math.min(Number.POSITIVE_INFINITY, ...quotas);
}

function upwards(path: string): string[] {
  const above = dirname(path);
  return path === "" || above === path ? ["/"] : [path, ...upwards(above)];
}

function quotaOf(folder: string): number {
  const [quota, period] =
    read(join(folder, "cpu.max"))?.split(" ") ??
    ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map((name) => read(join(folder, name)));
  const processors = Number(quota) / Number(period);
  return processors > 0 ? processors : Number.POSITIVE_INFINITY;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

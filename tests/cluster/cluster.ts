import { spawnSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/tests/runtime/weir-process";
import { needPackages } from "../operations/packages";
import { type Part, restartable } from "./part";
import { pooler } from "./pooler";
import { type PostgresNode, postgresNode } from "./postgres-node";
import { startProgram } from "./program";
import { type ClusterShape, clusterValues, type Values } from "./values";

export type Cluster = {
  /** DATABASE_URL, DATABASE_DIRECT_URL and DATABASE_REPLICA_URL of ops/cluster/weir.env. */
  env: Record<"DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_REPLICA_URL", string>;
  nodes: PostgresNode[];
  etcds: Part[];
  haproxy: Part;
  pgbouncer: Part;
  /** The node that is the primary; waits until there is one. */
  primary: () => Promise<PostgresNode>;
  /** Resolves when there is a primary, every other started node follows it, and commits wait for one where they should. */
  untilWhole: (within?: number) => Promise<void>;
  stop: () => Promise<void>;
};

const PACKAGES = {
  "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
  "/usr/bin/patroni": "patroni",
  "/usr/bin/etcd": "etcd-server",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/sbin/pgbouncer": "pgbouncer",
  "/usr/lib/python3/dist-packages/etcd/__init__.py": "python3-etcd",
};
const START_MS = 120_000;

/** PostgreSQL under Patroni with etcd, HAProxy and PgBouncer, from the files of ops/cluster, as docs/cluster.md sets it up. */
export async function startCluster(shape: ClusterShape): Promise<Cluster> {
  needPackages(PACKAGES);
  const folder = createRunFolder("cluster");
  chmodSync(folder, 0o711);
  const values = clusterValues(folder, shape);
  const { machines } = values;
  const etcds = machines.filter(({ hasEtcd }) => hasEtcd).map(({ name }) => etcd(folder, values, name));
  const nodes = machines.filter(({ hasPostgres }) => hasPostgres).map((one) => postgresNode(folder, values, one));
  const haproxy = proxy(folder, values);
  const files = { ini: values.fill("pgbouncer.ini"), userlist: values.fill("userlist.txt") };
  const pgbouncer = pooler(folder, files);
  const stop = async (): Promise<void> => {
    await Promise.all([pgbouncer, haproxy].map((part) => part.kill()));
    await Promise.all(nodes.map((node) => node.stop()));
    await Promise.all(etcds.map((part) => part.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  const roles = () => Promise.all(nodes.map((node) => node.role()));
  const primary = async (): Promise<PostgresNode> => {
    let found: PostgresNode | undefined;
    await until(
      "there is a primary",
      async () => {
        const known = await roles();
        found = nodes[known.indexOf("primary")];
        return found !== undefined;
      },
      START_MS,
    );
    return found as PostgresNode;
  };
  const untilWhole = async (within = START_MS): Promise<void> => {
    await until(
      "all nodes serve",
      async () => {
        const known = await roles();
        const isWhole = known.filter((role) => role === "primary").length === 1 && !known.includes(null);
        if (!isWhole || !shape.isSynchronous) return isWhole;
        return (await Promise.all(nodes.map((node) => node.isSynchronous()))).includes(true);
      },
      within,
    );
  };
  try {
    for (const part of [...etcds, haproxy, pgbouncer]) part.start();
    nodes[0]?.start();
    await primary();
    makeDatabase(values, (await primary()).address);
    for (const node of nodes) node.start();
    await untilWhole();
  } catch (error) {
    const outputs = nodes.map((node) => `${node.name}:\n${node.output()}`).join("\n");
    await stop();
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${outputs}`, { cause: error });
  }
  return { env: addresses(values), nodes, etcds, haproxy, pgbouncer, primary, untilWhole, stop };
}

function addresses(values: Values): Cluster["env"] {
  const env = Object.fromEntries(
    [...values.fill("weir.env").matchAll(/^(DATABASE_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  return env as Cluster["env"];
}

function etcd(folder: string, values: Values, machine: string): Part {
  const data = join(folder, `etcd-${machine}`);
  const lines = values.fill("etcd.env", machine).matchAll(/^(ETCD_\w+)=(.*)$/gm);
  const env = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
  return restartable(`etcd of ${machine}`, () =>
    startProgram("/usr/bin/etcd", [], { env: { ...env, ETCD_DATA_DIR: data } }),
  );
}

function proxy(folder: string, values: Values): Part {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, `${values.fill("haproxy.cfg")}\n`);
  return restartable("haproxy", () => startProgram("/usr/sbin/haproxy", ["-db", "-f", file]));
}

function makeDatabase(values: Values, address: string): void {
  const made = spawnSync("psql", ["-v", "ON_ERROR_STOP=1", "-h", address, "-U", "postgres", "-d", "postgres"], {
    input: values.fill("make-database.sql"),
    encoding: "utf8",
    env: { ...process.env, PGPASSWORD: values.postgresPassword },
  });
  if (made.status !== 0) throw new Error(made.stderr);
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/bench/alternatives";
import { until } from "@/lib/testing/until";
import { needPackages } from "./packages";

const SERVER = "/usr/sbin/clickhouse-server";
const ZOOKEEPER_JAR = "/usr/share/java/zookeeper.jar";
const JAVA = "/usr/bin/java";
const START_MS = 60_000;
/** The name of the cluster in the servers' configuration. */
export const CLUSTER = "weir";

export type OwnServer = {
  /** host:port of its HTTP interface. */
  address: string;
  /** From 1 on. */
  shard: number;
  /** Ends it at once, as a power failure does to a process. */
  kill: () => Promise<void>;
  /** After a kill; does nothing while it runs. */
  startAgain: () => Promise<void>;
  /** Stops it where it is, without a word to anybody. */
  freeze: () => void;
  thaw: () => void;
};

export type OwnClickHouse = {
  /** For LOG_STORE_URL, with all servers. */
  url: string;
  servers: OwnServer[];
  /** Null without a cluster. */
  zookeeper: Pick<OwnServer, "kill" | "startAgain"> | null;
  stop: () => Promise<void>;
};

export type OwnClickHouseOptions = {
  /** Absent: one server without replication. */
  cluster?: { shards: number; replicas: number };
  database?: string;
  /** Of the servers' configuration, e.g. `<compression>…</compression>`. */
  settings?: string;
};

type Ports = { http: number; tcp: number; interserver: number };
type Place = { directory: string; ports: Ports; shard: number; replica: number };

/**
 * Starts Debian's ClickHouse on loopback: one server, or a cluster with a ZooKeeper. Each can be killed and started again.
 * Installs the packages where they are missing. The database is not made: that is the migrations' work.
 */
export async function startOwnClickHouse(
  directory: string,
  { cluster, database = "weir", settings = "" }: OwnClickHouseOptions = {},
): Promise<OwnClickHouse> {
  needPackages({
    [SERVER]: "clickhouse-server",
    ...(cluster ? { [ZOOKEEPER_JAR]: "libzookeeper-java", [JAVA]: "default-jre-headless" } : {}),
  });
  const places = await placesIn(directory, cluster ?? { shards: 1, replicas: 1 });
  const keeper = cluster ? await startZooKeeper(join(directory, "zookeeper")) : null;
  for (const place of places) configure(place, { places, zookeeper: keeper?.port ?? null, settings });
  const servers = await Promise.all(places.map(startServer));
  const hosts = servers.map(({ address }) => address).join(",");
  return {
    url: `clickhouse://default@${hosts}/${database}${cluster ? `?cluster=${CLUSTER}` : ""}`,
    servers,
    zookeeper: keeper,
    async stop() {
      await Promise.all(servers.map(({ kill }) => kill()));
      await keeper?.kill();
    },
  };
}

async function placesIn(directory: string, { shards, replicas }: { shards: number; replicas: number }) {
  const places: Place[] = [];
  for (let shard = 1; shard <= shards; shard++) {
    for (let replica = 1; replica <= replicas; replica++) {
      const ports = { http: await freePort(), tcp: await freePort(), interserver: await freePort() };
      places.push({ directory: join(directory, `server-${shard}-${replica}`), ports, shard, replica });
    }
  }
  return places;
}

type Around = { places: readonly Place[]; zookeeper: number | null; settings: string };

function configure({ directory, ports, shard, replica }: Place, { places, zookeeper, settings }: Around): void {
  for (const name of ["data", "tmp", "files", "format"]) mkdirSync(join(directory, name), { recursive: true });
  const shards = [...new Set(places.map((place) => place.shard))];
  const replicaOf = ({ ports: { tcp } }: Place) => `<replica><host>127.0.0.1</host><port>${tcp}</port></replica>`;
  const members = shards.map((number) => {
    const own = places.filter((place) => place.shard === number).map(replicaOf);
    return `<shard><internal_replication>true</internal_replication>${own.join("")}</shard>`;
  });
  const replication = `
    <zookeeper><node><host>127.0.0.1</host><port>${zookeeper}</port></node><session_timeout_ms>10000</session_timeout_ms></zookeeper>
    <macros><shard>${shard}</shard><replica>${replica}</replica></macros>
    <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
    <remote_servers><${CLUSTER}>${members.join("")}</${CLUSTER}></remote_servers>`;
  writeFileSync(
    join(directory, "config.xml"),
    `<yandex>
    <logger><level>warning</level><log>${directory}/server.log</log><errorlog>${directory}/error.log</errorlog></logger>
    <http_port>${ports.http}</http_port><tcp_port>${ports.tcp}</tcp_port>
    <interserver_http_port>${ports.interserver}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
    <listen_host>127.0.0.1</listen_host>
    <path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path><user_files_path>${directory}/files/</user_files_path>
    <format_schema_path>${directory}/format/</format_schema_path>
    <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>268435456</mark_cache_size><mlock_executable>false</mlock_executable>
    <!-- Not the zone of the machine, so that nothing comes to depend on it. -->
    <timezone>Asia/Kolkata</timezone>
    ${zookeeper === null ? "" : replication}${settings}
    </yandex>`,
  );
  writeFileSync(
    join(directory, "users.xml"),
    `<yandex>
    <profiles><default><max_memory_usage>4000000000</max_memory_usage><max_threads>2</max_threads></default></profiles>
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
    <quotas><default><interval><duration>3600</duration></interval></default></quotas>
    </yandex>`,
  );
}

async function startServer({ directory, ports, shard }: Place): Promise<OwnServer> {
  const address = `127.0.0.1:${ports.http}`;
  const start = async () => {
    const child = spawn(SERVER, ["--config-file", join(directory, "config.xml")], { cwd: directory, stdio: "ignore" });
    await until(() => answers(child, `http://${address}/ping`), START_MS);
    return child;
  };
  const { child, ...handle } = await restartable(start);
  return {
    ...handle,
    address,
    shard,
    freeze: () => child().kill("SIGSTOP"),
    thaw: () => child().kill("SIGCONT"),
  };
}

async function startZooKeeper(directory: string) {
  const port = await freePort();
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "zoo.cfg");
  writeFileSync(
    file,
    `tickTime=2000\nmaxClientCnxns=0\nadmin.enableServer=false\ndataDir=${directory}\nclientPort=${port}\nclientPortAddress=127.0.0.1\n4lw.commands.whitelist=*\n`,
  );
  const jars = ["zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop", "netty-all", "metrics-core", "snappy-java"];
  const classes = jars.map((name) => `/usr/share/java/${name}.jar`).filter((path) => existsSync(path));
  const main = "org.apache.zookeeper.server.ZooKeeperServerMain";
  const start = async () => {
    const args = ["-Xmx128m", "-Dzookeeper.4lw.commands.whitelist=*", "-cp", classes.join(":"), main, file];
    const child = spawn(JAVA, args, { cwd: directory, stdio: "ignore" });
    await until(() => accepts(child, port), START_MS);
    return child;
  };
  const { kill, startAgain } = await restartable(start);
  return { port, kill, startAgain };
}

async function restartable(start: () => Promise<ChildProcess>) {
  let current = await start();
  return {
    child: () => current,
    async kill() {
      if (hasEnded(current)) return;
      const ended = once(current, "exit");
      current.kill("SIGKILL");
      await ended;
    },
    async startAgain() {
      if (hasEnded(current)) current = await start();
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function answers(child: ChildProcess, url: string): Promise<boolean> {
  if (hasEnded(child)) throw new Error(`${SERVER} has ended with ${child.exitCode ?? child.signalCode}; see error.log`);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function accepts(child: ChildProcess, port: number): Promise<boolean> {
  if (hasEnded(child)) throw new Error(`ZooKeeper has ended with ${child.exitCode ?? child.signalCode}`);
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

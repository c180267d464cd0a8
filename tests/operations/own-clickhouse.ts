import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "@/lib/testing/until";
import { freePort } from "@/tools/bench/alternatives";
import { fillFile } from "../cluster/fill";
import { needPackages } from "./packages";

const SERVER = "/usr/sbin/clickhouse-server";
const ZOOKEEPER_JAR = "/usr/share/java/zookeeper.jar";
const JAVA = "/usr/bin/java";
const START_MS = 60_000;
/** The machines with ClickHouse in cluster.env, by shard. */
const MACHINES = [
  ["LOG1A", "LOG1B"],
  ["LOG2A", "LOG2B"],
] as const;

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
  /** Two shards of two replicas, from the files of ops/cluster; otherwise one server. */
  isCluster?: boolean;
  database?: string;
  /** Of the servers' configuration, e.g. `<compression>…</compression>`. */
  settings?: string;
};

type Place = {
  directory: string;
  host: string;
  ports: { http: number; tcp: number; interserver: number };
  shard: number;
};

/** host:port of a server of another version to test with, e.g. a current one. What is in the tests' databases there goes. */
const GIVEN = process.env.TEST_LOG_STORE_ADDRESS;

/**
 * Starts Debian's ClickHouse on loopback: one server, or a cluster with a ZooKeeper. Each can be killed and started again.
 * Installs the packages where they are missing. The database is not made: that is the migrations' work.
 */
export async function startOwnClickHouse(
  directory: string,
  { isCluster = false, database = "weir", settings = "" }: OwnClickHouseOptions = {},
): Promise<OwnClickHouse> {
  if (GIVEN && !isCluster) return givenServer(GIVEN, database);
  needPackages({
    [SERVER]: "clickhouse-server",
    ...(isCluster ? { [ZOOKEEPER_JAR]: "libzookeeper-java", [JAVA]: "default-jre-headless" } : {}),
  });
  const files = isCluster ? clusterFiles(join(directory, "files")) : null;
  const places = files ? files.places(directory) : [await placeOfOne(directory)];
  const keeper = files ? await startZooKeeper(join(directory, "zookeeper"), files) : null;
  for (const place of places) configure(place, settings, files);
  const servers = await Promise.all(places.map(startServer));
  return {
    url: files
      ? files.url.replace("/weir?", `/${database}?`)
      : `clickhouse://default@${servers[0]?.address}/${database}`,
    servers,
    zookeeper: keeper,
    async stop() {
      await Promise.all(servers.map(({ kill }) => kill()));
      await keeper?.kill();
    },
  };
}

/** Cannot be killed or frozen. */
function givenServer(address: string, database: string): OwnClickHouse {
  const url = `clickhouse://default@${address}/${database}`;
  return { url, servers: [], zookeeper: null, stop: async () => {} };
}

async function placeOfOne(directory: string): Promise<Place> {
  const ports = { http: await freePort(), tcp: await freePort(), interserver: await freePort() };
  return { directory: join(directory, "server-1-1"), host: "127.0.0.1", ports, shard: 1 };
}

type ClusterFiles = ReturnType<typeof clusterFiles>;

/** Each machine is an address of 127.0.0.0/8, all of which Linux has, so that the ports stay those of the documentation. */
function clusterFiles(directory: string) {
  mkdirSync(directory, { recursive: true });
  const network = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const addresses = Object.fromEntries(MACHINES.flat().map((name, at) => [name, `${network}.${41 + at}`]));
  const shared: Record<string, string> = {
    ...addresses,
    ZOOKEEPER: `${network}.45`,
    ZOOKEEPER_DATA: join(directory, "..", "zookeeper"),
    NETWORK: `${network}.0/24`,
    LOG_PASSWORD: randomBytes(12).toString("hex"),
  };
  const fill = (file: string, own: Record<string, string> = {}): string =>
    fillFile(join(directory, "cluster.env"), file, { ...shared, ...own });
  const ports = { http: 8123, tcp: 9000, interserver: 9009 };
  return {
    fill,
    zookeeper: shared.ZOOKEEPER ?? "",
    url: (/^LOG_STORE_URL=(.*)$/m.exec(fill("weir-log-store.env")) ?? [])[1] ?? "",
    places: (home: string): Place[] =>
      MACHINES.flatMap((names, at) =>
        names.map((name, replica) => ({
          directory: join(home, `server-${at + 1}-${replica + 1}`),
          host: addresses[name] ?? "",
          ports,
          shard: at + 1,
        })),
      ),
  };
}

/** What Debian's packages bring, but for places and ports; a cluster adds its files as docs/cluster.md says. */
function configure({ directory, host, ports, shard }: Place, settings: string, files: ClusterFiles | null): void {
  for (const name of ["data", "tmp", "files", "format", "config.d", "users.d"])
    mkdirSync(join(directory, name), { recursive: true });
  if (files) {
    const own = { ADDRESS: host, SHARD: String(shard) };
    writeFileSync(join(directory, "config.d", "weir.xml"), files.fill("clickhouse.xml", own));
    writeFileSync(join(directory, "users.d", "weir.xml"), files.fill("clickhouse-users.xml", own));
  }
  const alone = `<interserver_http_host>${host}</interserver_http_host><listen_host>${host}</listen_host>`;
  writeFileSync(
    join(directory, "config.xml"),
    `<yandex>
    <logger><level>warning</level><log>${directory}/server.log</log><errorlog>${directory}/error.log</errorlog></logger>
    <http_port>${ports.http}</http_port><tcp_port>${ports.tcp}</tcp_port>
    <interserver_http_port>${ports.interserver}</interserver_http_port>
    <path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path><user_files_path>${directory}/files/</user_files_path>
    <format_schema_path>${directory}/format/</format_schema_path>
    <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>268435456</mark_cache_size><mlock_executable>false</mlock_executable>
    <!-- Not the zone of the machine, so that nothing comes to depend on it. -->
    <timezone>Asia/Kolkata</timezone>
    ${files ? "" : alone}${settings}
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

async function startServer({ directory, host, ports, shard }: Place): Promise<OwnServer> {
  const address = `${host}:${ports.http}`;
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

async function startZooKeeper(directory: string, files: ClusterFiles) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const file = join(directory, "zoo.cfg");
  writeFileSync(file, files.fill("zookeeper.cfg"));
  const jars = ["zookeeper", "zookeeper-jute", "slf4j-api", "slf4j-nop", "netty-all", "metrics-core", "snappy-java"];
  const classes = jars.map((name) => `/usr/share/java/${name}.jar`).filter((path) => existsSync(path));
  const main = "org.apache.zookeeper.server.ZooKeeperServerMain";
  const start = async () => {
    const args = ["-Xmx128m", "-cp", classes.join(":"), main, file];
    const child = spawn(JAVA, args, { cwd: directory, stdio: "ignore" });
    await until(() => accepts(child, files.zookeeper), START_MS);
    return child;
  };
  const { kill, startAgain } = await restartable(start);
  return { kill, startAgain };
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

async function accepts(child: ChildProcess, host: string): Promise<boolean> {
  if (hasEnded(child)) throw new Error(`ZooKeeper has ended with ${child.exitCode ?? child.signalCode}`);
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(2181, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ENVIRONMENT_NAMES } from "@/lib/env";
import { isRelayPath } from "@/lib/relay/side/endpoints";

// What ops/ says of Weir must be true of it. Whether it works on a cluster only a cluster can tell.

type Service = {
  image: string;
  environment?: Record<string, string>;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  tmpfs?: string[];
  volumes?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

const read = (file: string): string => readFileSync(join("ops", file), "utf8");
const compose = (file: string): Compose => parse(read(`compose/${file}`), { merge: true });
const one = compose("compose.yaml");
const cluster = compose("compose.cluster.yaml");
const isWeir = ({ image }: Service): boolean => image.includes("WEIR_IMAGE");
const weirServices = [one, cluster].flatMap(({ services }) =>
  Object.entries(services).filter(([, each]) => isWeir(each)),
);

const chartFolder = "helm/weir";
const chart = readdirSync(join("ops", chartFolder, "templates"))
  .map((name) => read(`${chartFolder}/templates/${name}`))
  .join("\n");
const values = parse(read(`${chartFolder}/values.yaml`));
const about = parse(read(`${chartFolder}/Chart.yaml`));
const schema = JSON.parse(read(`${chartFolder}/values.schema.json`));
const image = read("container/Containerfile");

/** Read by Node.js and by the SDK of S3. */
const others = ["NODE_ENV", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const unknown = (names: readonly string[]) =>
  names.filter((name) => !ENVIRONMENT_NAMES.includes(name) && !others.includes(name));

/** Found elsewhere than in Weir, or by another chart value, or of no use in a pod. */
const notForValues = [
  ...["NODE_ENV", "HOST", "PORT", "WEIR_DATA_DIR", "WEIR_JOURNAL_DIR", "WEIR_FILL_WAL", "WEIR_CONSOLE_PORT"],
  ...["WEIR_ROLES", "WEIR_MIGRATE", "WEIR_DURABLE_CHARGE", "WEIR_METRICS_PORT", "WEIR_METRICS_HOST", "TRUST_PROXY"],
  ...["WEIR_DRAIN_SECONDS", "WEIR_DRAIN_PAUSE_SECONDS", "WEIR_GATEWAY_WORKERS"],
  ...["WEIR_ARCHIVE_URL", "WEIR_ARCHIVE_FORMAT", "WEIR_BASE_PATH", "WEIR_DEMO", "WEIR_IMPORT_FROM"],
];

describe("every variable that is set for Weir is one that it reads", () => {
  test.each(weirServices)("compose: %s", (_name, { environment = {} }) => {
    expect(Object.keys(environment).length).toBeGreaterThan(0);
    expect(unknown(Object.keys(environment))).toEqual([]);
  });

  test("the chart and the image", () => {
    const named = [...chart.matchAll(/- name: ([A-Z][A-Z_]+)$/gm), ...chart.matchAll(/"([A-Z]+_[A-Z_]+)"/g)];
    const inChart = named.map(([, name = ""]) => name);
    expect(inChart).toEqual(expect.arrayContaining(["WEIR_ROLES", "WEIR_ARCHIVE_URL", "DATABASE_URL"]));
    expect(unknown(inChart)).toEqual([]);
    const [, settings = ""] = /^ENV NODE_ENV=production \\\n((?:.*\\\n)+.*)$/m.exec(image) ?? [];
    const inImage = [...settings.matchAll(/([A-Z_]+)=/g)].map(([, name = ""]) => name);
    expect(inImage).toEqual(["HOST", "PORT", "WEIR_DATA_DIR", "WEIR_METRICS_PORT"]);
    expect(unknown(inImage)).toEqual([]);
  });
});

test.each(weirServices)(
  "compose: %s runs read-only and without rights, and has a minute more than its drain",
  (_name, service) => {
    const { read_only, cap_drop, security_opt, stop_grace_period } = service;
    expect({ read_only, cap_drop, security_opt, stop_grace_period }).toEqual({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      stop_grace_period: "6m",
    });
  },
);

test("each gateway of the cluster has a journal of its own", () => {
  const places = Object.values(cluster.services)
    .filter(isWeir)
    .filter(({ environment }) => environment?.WEIR_ROLES?.includes("gateway"));
  const volumes = places.map(({ volumes: [data = ""] = [] }) => data.split(":")[0] ?? "");
  expect(volumes.length).toBe(3);
  expect(new Set(volumes).size).toBe(3);
  for (const name of volumes) expect(Object.keys(cluster.volumes)).toContain(name);
});

test("the places that are written to are the same in the image, in compose and in the chart", () => {
  const [, data = ""] = /^VOLUME (\S+)$/m.exec(image) ?? [];
  const [, cache = ""] = /this one, \/tmp, and (\S+\/\.next\/cache),/.exec(image) ?? [];
  const expected = [data, "/tmp", cache].sort();
  const { tmpfs = [], volumes = [] } = one.services.weir as Service;
  expect([...tmpfs.map((place) => place.split(":")[0]), volumes[0]?.split(":")[1]].sort()).toEqual(expected);
  const mounted = [...chart.matchAll(/mountPath: (\S+) \}/g)].map(([, place]) => place);
  expect([...new Set(mounted)].sort()).toEqual(expected);
});

test("ports, account and times of the chart are those of the image and of Weir", () => {
  expect(image).toMatch(/^USER 10001:10001$/m);
  expect(chart).toMatch(/runAsUser: 10001\n/);
  expect(image).toMatch(/ {2}PORT=3000 /);
  expect(image).toMatch(/WEIR_METRICS_PORT=9464$/m);
  expect(chart).toMatch(/containerPort: 3000\n/);
  expect(chart).toMatch(/containerPort: 9464\n/);
  expect(values.drainSeconds).toBe(300);
  expect(chart).toContain("terminationGracePeriodSeconds: {{ add (int $root.Values.drainSeconds) 60 }}");
  const probes = [...chart.matchAll(/httpGet: \{ path: (\S+),/g)].map(([, path]) => path);
  expect(new Set(probes)).toEqual(new Set(["/healthz", "/readyz"]));
  const [, metric = ""] = /metric:\s+name: (\w+)/.exec(chart) ?? [];
  expect(readFileSync(join("lib", "metrics", "relay-figures.ts"), "utf8")).toContain(`"${metric}"`);
});

test("what goes to the gateways is what they serve, and the chart and HAProxy agree on it", () => {
  const [, listed = ""] = /range list ("\/v1".*?) \}\}/.exec(chart) ?? [];
  const inChart = [...listed.matchAll(/"(\S+?)"/g)].map(([, path = ""]) => path);
  const [, begins = ""] = /path_beg (.*) \}/.exec(read("compose/haproxy.cfg")) ?? [];
  expect(
    begins
      .split(" ")
      .map((path) => path.replace(/\/$/, ""))
      .sort(),
  ).toEqual([...inChart].sort());
  expect(inChart.filter((path) => !isRelayPath(`${path}/x`))).toEqual([]);
});

test("the chart accepts every variable that Weir reads, except those that the chart sets; a new one belongs into its schema", () => {
  const [{ enum: accepted }] = schema.definitions.variable.anyOf;
  expect(accepted).toEqual(ENVIRONMENT_NAMES.filter((name) => !notForValues.includes(name)).sort());
  for (const place of [schema.properties.environment, schema.properties.secret.properties.values]) {
    expect(place.propertyNames).toEqual({ $ref: "#/definitions/variable" });
  }
});

test("the chart's schema knows exactly the values that there are", () => {
  const compare = (known: Record<string, { properties?: Record<string, never> }>, given: Record<string, unknown>) => {
    expect(Object.keys(known).filter((name) => name !== "global" && name !== "minAvailable")).toEqual(
      Object.keys(given),
    );
    for (const [name, { properties }] of Object.entries(known)) {
      if (properties && name !== "values") compare(properties, given[name] as Record<string, unknown>);
    }
  };
  compare(schema.properties, values);
});

test("a machine's and a cluster's compose file take the addresses of the parts that may be elsewhere", () => {
  const parts = ["DATABASE_URL", "DATABASE_DIRECT_URL", "DATABASE_REPLICA_URL", "LOG_STORE_URL", "WEIR_ROOT_PASSWORD"];
  for (const [name, { environment = {} }] of weirServices) {
    expect({ name, environment }).toMatchObject({
      environment: Object.fromEntries(parts.map((part) => [part, expect.stringContaining(`\${${part}:-`)])),
    });
  }
  for (const { services } of [one, cluster]) {
    const worker = services.worker ?? services.weir;
    expect(worker?.environment?.WEIR_ARCHIVE_URL).toMatch(/^\$\{WEIR_ARCHIVE_URL:-/);
  }
});

test("the chart names the version of the program, and compose one image for all parts", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(about.appVersion).toBe(version);
  expect(new Set(weirServices.map(([, service]) => service.image)).size).toBe(1);
});

test("files that the image names are there, and it is told apart from the tests and the history", () => {
  for (const [, file = ""] of image.matchAll(/(ops\/\S+\.mjs|bin\/\S+\.mjs)/g)) expect(existsSync(file)).toBe(true);
  const left = readFileSync(".dockerignore", "utf8").split("\n");
  expect(left).toEqual(expect.arrayContaining([".git", ".env", ".data", "node_modules", "tests"]));
});

test("in a sealed folder nothing is installed or built", () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-sealed-"));
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist", "sealed"), "");
  const program = `import { ensureBuilt, ensureCommands, ensureInstalled } from ${JSON.stringify(resolve("scripts/steps.mjs"))};
    await ensureInstalled(); await ensureBuilt(); process.stdout.write(await ensureCommands());`;
  const args = ["--input-type=module", "-e", program];
  expect(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })).toBe(join("dist", "commands"));
  expect(readdirSync(folder)).toEqual(["dist"]);
  rmSync(folder, { recursive: true });
});

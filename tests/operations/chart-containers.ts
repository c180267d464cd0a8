// The containers of ops/helm/weir with its default values: what its templates say, without Helm. Throws where a template no longer looks
// as expected here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

export type Container = {
  args: string[];
  uid: number;
  gid: number;
  fsGroup: number;
  isRootReadOnly: boolean;
  mayEscalate: boolean;
  dropped: string[];
  env: Record<string, string>;
  /** Paths of its volumes; all of them are empty folders that kubelet makes. */
  mounts: string[];
};

const folder = "ops/helm/weir";
const template = (name: string): string => readFileSync(join(folder, "templates", name), "utf8");
const values = parse(readFileSync(join(folder, "values.yaml"), "utf8")) as Record<string, unknown>;

function found(pattern: RegExp, text: string): string {
  const [, first] = pattern.exec(text) ?? [];
  if (first === undefined) throw new Error(`the chart has no ${pattern}`);
  return first;
}

/** The text between `define` and its end, without what is only there for values that are not set. */
function definition(name: string): string {
  const text = found(
    new RegExp(`define "${name}" -}}\\n([\\s\\S]*?)\\n\\{\\{- end }}\\n\\n`),
    `${template("_helpers.tpl")}\n\n`,
  );
  return text.replace(/\{\{- range [\s\S]*/, "");
}

function valueAt(path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], values);
}

const render = (text: string): string =>
  text.replace(/\{\{ \.Values\.([\w.]+) \| quote }}/g, (_all, path: string) => JSON.stringify(String(valueAt(path))));

type Security = {
  runAsUser: number;
  runAsGroup: number;
  fsGroup: number;
  readOnlyRootFilesystem: boolean;
  allowPrivilegeEscalation: boolean;
  capabilities: { drop: string[] };
};

/** `parts` of the pods: "migration" runs once. */
export function containerOf(part: "gateway" | "console" | "worker" | "migration"): Container {
  const own = template(`${part}.yaml`);
  const pod = part === "migration" ? own : template("_helpers.tpl");
  for (const name of ["podSecurity", "containerSecurity", "environment"])
    found(new RegExp(`(include "weir.${name}")`), pod);
  const security = parse(`${definition("weir.podSecurity")}\n${definition("weir.containerSecurity")}`) as Security;
  const common = parse(render(definition("weir.environment"))) as { name: string; value: string }[];
  const names = found(/volumes:\n((?: +- \{ name: .*\n)+)/, pod);
  const empty = [...names.matchAll(/name: (\w+), emptyDir: \{}/g)].map(([, name]) => name);
  const mounts = parse(found(/volumeMounts:\n((?: +- \{ name: .*\n)+)/, pod)) as { name: string; mountPath: string }[];
  if (mounts.some(({ name }) => !empty.includes(name))) throw new Error("the chart mounts what is no empty folder");
  return {
    args: parse(found(/args: (\[.*])/, pod)),
    uid: security.runAsUser,
    gid: security.runAsGroup,
    fsGroup: security.fsGroup,
    isRootReadOnly: security.readOnlyRootFilesystem,
    mayEscalate: security.allowPrivilegeEscalation,
    dropped: security.capabilities.drop,
    env: { ...Object.fromEntries(common.map(({ name, value }) => [name, value])), ...ownEnvironment(part, own) },
    mounts: mounts.map(({ mountPath }) => mountPath),
  };
}

function ownEnvironment(part: string, text: string): Record<string, string> {
  if (part === "migration") return {};
  const roles = found(/"roles" "([^"]+)"/, text);
  const workers = /"WEIR_GATEWAY_WORKERS" (?:"(\d+)"|\$gateway\.(workers))/.exec(text);
  if (!workers) return { WEIR_ROLES: roles };
  return { WEIR_ROLES: roles, WEIR_GATEWAY_WORKERS: workers[1] ?? String(valueAt("gateway.workers")) };
}

import { cleanAddress } from "@/db/database-address";

/** Where the rows of the usage log are kept: LOG_STORE_URL. */
export type LogStoreConfig = {
  /** http://host:port or https://host:port, at least one. */
  servers: string[];
  username: string;
  password: string;
  database: string;
  /** The cluster's name in the configuration of the servers; null = one server, without replication. */
  cluster: string | null;
};

const EXAMPLE = "clickhouse://user:password@host:8123,host2:8123/database?secure=1&cluster=NAME";
/** What a user or a password must be written with, where a raw sign would end it. */
const CODES = "in a user or a password write %25 for %, %2F for /, %3F for ?, %23 for #, %40 for @";
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;

/** Parses LOG_STORE_URL. Throws an error for the operator to read, without the password. */
export function parseLogStoreUrl(text: string): LogStoreConfig {
  const plain = cleanAddress(text);
  const parts = /^clickhouse:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/i.exec(plain);
  if (!parts) throw new Error(`must look like ${EXAMPLE}; ${CODES}`);
  const [, credentials = "", hosts = "", database = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const unknown = [...parameters.keys()].find((name) => name !== "secure" && name !== "cluster");
  if (unknown !== undefined) {
    const shown = credentials !== "" && /^[a-z_]{1,40}$/i.test(unknown) ? ` "${unknown}"` : "";
    throw new Error(`has an unknown parameter${shown}; known are secure and cluster`);
  }
  const isSecure = parameters.get("secure") === "1";
  const cluster = parameters.get("cluster");
  const [username = "", ...rest] = credentials.split(":");
  return {
    servers: hosts.split(",").map((host) => serverOf(host, isSecure, credentials !== "")),
    username: decoded(username) || "default",
    password: decoded(rest.join(":")),
    database: nameOf(database || "default", "database"),
    cluster: cluster ? nameOf(cluster, "cluster") : null,
  };
}

/** The configuration of this process; null = the log is in PostgreSQL. */
export function logStoreConfig(url: string | undefined = process.env.LOG_STORE_URL): LogStoreConfig | null {
  if (!url) return null;
  try {
    return parseLogStoreUrl(url);
  } catch (error) {
    throw new Error(`LOG_STORE_URL ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Without a user before it, what looks like a host may be the first half of a password. */
function serverOf(text: string, isSecure: boolean, isShown: boolean): string {
  const [, host, port] = HOST.exec(text.trim()) ?? [];
  if (!host || Number(port) > 65_535)
    throw new Error(
      `has the address ${isShown ? `"${text}"` : "of a server"}, which cannot be read; must look like ${EXAMPLE}; ${CODES}`,
    );
  return isSecure ? `https://${host}:${port ?? 8443}` : `http://${host}:${port ?? 8123}`;
}

/** Names are written into statements, so nothing that would need quotes. */
function nameOf(name: string, what: string): string {
  if (!NAME.test(name)) throw new Error(`has the ${what} "${name}"; a name has letters, digits and _ only`);
  return name;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`has a % in its user or password that begins no code; ${CODES}`);
  }
}

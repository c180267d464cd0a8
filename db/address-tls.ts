import { readFileSync } from "node:fs";
import type { ConnectionOptions, SecureVersion } from "node:tls";

/** What is wrong with an address of a database, and what to write instead: follows the variable's name in a sentence. */
export class AddressProblem extends Error {}

export type TlsSettings = {
  /** False = none; "prefer" = if the server has it. */
  ssl: false | "prefer" | ConnectionOptions;
  sslNegotiation: "direct" | null;
};
type Where = { hosts: string[]; folder: string | null; tlsHost: string | undefined };

export const TLS_NAMES = [
  ...["sslmode", "ssl", "sslaccept", "sslrootcert", "sslcert", "sslkey", "sslpassword", "sslcrl", "sslsni"],
  ...["sslcertmode", "sslnegotiation", "ssl_min_protocol_version", "ssl_max_protocol_version"],
] as const;
type Name = (typeof TLS_NAMES)[number];

const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type Mode = (typeof MODES)[number];

/** Other clients' words for the same. */
const SAME_MODE: Record<string, Mode> = {
  true: "require",
  "1": "require",
  on: "require",
  yes: "require",
  false: "disable",
  "0": "disable",
  off: "disable",
  no: "disable",
  "no-verify": "require",
};

const VERSIONS: Record<string, SecureVersion> = {
  tlsv1: "TLSv1",
  "tlsv1.1": "TLSv1.1",
  "tlsv1.2": "TLSv1.2",
  "tlsv1.3": "TLSv1.3",
};

/** Reads what the parameters say of TLS. Files are read now, so that a wrong one is refused by its name. Throws AddressProblem. */
export function readTls(given: Map<string, string>, where: Where): TlsSettings {
  const get = (name: Name): string | undefined => given.get(name);
  const root = get("sslrootcert") || undefined;
  const mode = modeOf(get("sslmode"), get("ssl"), get("sslaccept"), root);
  if (root === "system" && mode !== "verify-full") {
    throw new AddressProblem("has sslrootcert=system, which needs sslmode=verify-full.");
  }
  const own = ownCertificate(get);
  const sslNegotiation = negotiationOf(get("sslnegotiation"), mode);
  // As in libpq, a Unix socket has no TLS, whatever is asked for.
  if (mode === "disable" || where.folder !== null) return { ssl: false, sslNegotiation: null };
  const versions = {
    ...versionOf("minVersion", "ssl_min_protocol_version", get),
    ...versionOf("maxVersion", "ssl_max_protocol_version", get),
  };
  const isPlain = Object.keys(own).length === 0 && Object.keys(versions).length === 0;
  if ((mode === "allow" || mode === "prefer") && isPlain) return { ssl: "prefer", sslNegotiation };
  return {
    ssl: { ...verification(mode, root, get), ...own, ...versions, ...nameOf(where, get("sslsni")) },
    sslNegotiation,
  };
}

/** Without any word about TLS there is none; PGSSLMODE is such a word. */
function modeOf(
  sslmode: string | undefined,
  ssl: string | undefined,
  accept: string | undefined,
  root: string | undefined,
): Mode {
  const [name, text] =
    sslmode !== undefined
      ? ["sslmode", sslmode]
      : ssl !== undefined
        ? ["ssl", ssl]
        : ["PGSSLMODE", process.env.PGSSLMODE];
  const mode = text === undefined || (text === "" && name === "PGSSLMODE") ? undefined : readMode(text);
  if (mode === null) throw new AddressProblem(`cannot be used: ${name} must be ${MODES_ALLOWED}.`);
  if (accept !== undefined && accept !== "strict" && accept !== "accept_invalid_certs") {
    throw new AddressProblem("has the parameter sslaccept, which must be strict or accept_invalid_certs.");
  }
  // Prisma checks certificates by this parameter alone.
  if (accept === "strict" && mode !== "disable") return "verify-full";
  if (mode === undefined) return root === "system" ? "verify-full" : accept === undefined ? "disable" : "prefer";
  return mode;
}

const MODES_ALLOWED = `one of ${MODES.join(", ")}`;

function readMode(text: string): Mode | null {
  const lower = text.toLowerCase();
  return MODES.find((one) => one === lower) ?? (Object.hasOwn(SAME_MODE, lower) ? (SAME_MODE[lower] ?? null) : null);
}

/** Throws for a PGSSLMODE that there is not. */
export function assertTlsMode(text: string): void {
  if (readMode(text) === null) throw new AddressProblem(`must be ${MODES_ALLOWED}`);
}

/** With a root certificate, `require` checks the chain, too, as in libpq. */
function verification(
  mode: Mode,
  root: string | undefined,
  get: (name: Name) => string | undefined,
): ConnectionOptions {
  const ca = root === undefined || root === "system" ? {} : { ca: fileOf("sslrootcert", root) };
  const crlFile = get("sslcrl");
  const crl = crlFile ? { crl: fileOf("sslcrl", crlFile) } : {};
  if (mode === "verify-full") return { ...ca, ...crl, rejectUnauthorized: true };
  if (mode === "verify-ca" || (mode === "require" && root !== undefined)) {
    return { ...ca, ...crl, rejectUnauthorized: true, checkServerIdentity: () => undefined };
  }
  return { rejectUnauthorized: false };
}

function ownCertificate(get: (name: Name) => string | undefined): ConnectionOptions {
  const mode = get("sslcertmode");
  if (mode !== undefined && !["disable", "allow", "require"].includes(mode)) {
    throw new AddressProblem("has an sslcertmode that there is not. It must be disable, allow or require.");
  }
  const [certificate, key, passphrase] = [get("sslcert"), get("sslkey"), get("sslpassword")];
  if (mode === "require" && !certificate)
    throw new AddressProblem("has sslcertmode=require, which needs sslcert and sslkey.");
  if (mode === "disable" || (!certificate && !key)) return {};
  if (!certificate) throw new AddressProblem("has sslkey without sslcert. Name the client's certificate, too.");
  if (!key) {
    throw new AddressProblem(
      "has sslcert, the client's own certificate, without sslkey. Name its key, too; the certificate of the server's CA is sslrootcert.",
    );
  }
  return {
    cert: fileOf("sslcert", certificate),
    key: fileOf("sslkey", key),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

function negotiationOf(text: string | undefined, mode: Mode): "direct" | null {
  if (text === undefined || text === "postgres") return null;
  if (text !== "direct")
    throw new AddressProblem("has an sslnegotiation that there is not. It must be postgres or direct.");
  if (mode === "require" || mode === "verify-ca" || mode === "verify-full") return "direct";
  throw new AddressProblem("has sslnegotiation=direct, which needs sslmode=require, verify-ca or verify-full.");
}

function versionOf(
  key: "minVersion" | "maxVersion",
  name: Name,
  get: (name: Name) => string | undefined,
): ConnectionOptions {
  const text = get(name);
  if (text === undefined || text === "") return {};
  const version = VERSIONS[text.toLowerCase()];
  if (version === undefined)
    throw new AddressProblem(`has an ${name} that there is not. It must be TLSv1.2 or TLSv1.3.`);
  return { [key]: version };
}

/** The name that is sent and checked, where it is not the one that is connected to. */
function nameOf({ hosts, tlsHost }: Where, sni: string | undefined): ConnectionOptions {
  if (sni !== undefined && sni !== "0" && sni !== "1")
    throw new AddressProblem("has an sslsni that is neither 0 nor 1.");
  if (tlsHost !== undefined) return { servername: tlsHost };
  const [host] = hosts;
  // Node.js checks the name that was sent, else this one: an address is not sent.
  return hosts.length === 1 && host !== undefined ? { host, ...(sni === "0" ? { servername: "" } : {}) } : {};
}

function fileOf(name: Name, path: string): Buffer {
  try {
    const content = readFileSync(path);
    if (content.includes("-----BEGIN ")) return content;
  } catch (error) {
    throw new AddressProblem(
      `names a file as ${name} that cannot be read (${(error as NodeJS.ErrnoException).code}). Correct its path, or its rights.`,
    );
  }
  throw new AddressProblem(`names a file as ${name} that is not PEM ("-----BEGIN …"). Convert it with openssl.`);
}

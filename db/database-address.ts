import { existsSync } from "node:fs";
import { domainToASCII } from "node:url";
import { type AddressSettings, readSettings } from "./address-settings";
import { AddressProblem } from "./address-tls";

/** A database as its address names it. */
export type DatabaseAddress = AddressSettings & {
  /** Names or addresses, at least one; [] = by the Unix socket in `folder`. */
  hosts: string[];
  ports: number[];
  folder: string | null;
  /** Undefined = PGUSER, else the account of the system. */
  user: string | undefined;
  /** Undefined = PGPASSWORD, else none. */
  password: string | undefined;
  /** Undefined = PGDATABASE, else the user's name. */
  database: string | undefined;
};

const PORT_DEFAULT = 5432;
const FORM = "postgres://USER:PASSWORD@HOST:5432/DATABASE";
const CODES = "%25 for %, %2F for /, %3F for ?, %23 for #, %40 for @, %3A for :, %20 for a space";
const SCHEME = /^(?:jdbc:)?(postgres(?:ql)?)(?:\+[a-z0-9_]+)?:\/\//i;
/** Where libpq finds the server of this machine when no host is named. */
const SOCKET_FOLDERS = ["/var/run/postgresql", "/tmp"];

/**
 * Reads an address as libpq does (URI, or KEYWORD=VALUE), and what other clients add to it. Throws an error that begins with
 * `name` and says what to write instead. Its text holds no part of the address but the names of parameters, because any other
 * part may be a password.
 */
export function readDatabaseAddress(given: string, name = "The address of the database"): DatabaseAddress {
  try {
    const parts = splitAddress(cleanAddress(given));
    const { place, settings } = readSettings(parts.parameters);
    const ofPlace = (key: string): string | undefined => place.get(key);
    const user = ofPlace("user") ?? parts.user;
    const hosts = placesOf(parts.hosts, ofPlace("hostaddr") ?? ofPlace("host"), ofPlace("port"));
    const tlsHost = ofPlace("hostaddr") === undefined ? undefined : ofPlace("host") || parts.hosts[0]?.host;
    return {
      ...hosts,
      user: user || process.env.PGUSER || undefined,
      password: ofPlace("password") ?? parts.password ?? process.env.PGPASSWORD,
      database: ofPlace("dbname") || parts.database || process.env.PGDATABASE || undefined,
      ...settings(hosts, tlsHost),
    };
  } catch (error) {
    if (error instanceof AddressProblem) throw new Error(`${name} ${error.message}`);
    throw error;
  }
}

/** Whether it begins as an address of PostgreSQL does. */
export function isPostgresAddress(text: string): boolean {
  return SCHEME.test(text.replace(/^["'`]/, ""));
}

/** HOST:PORT, or the folder of the socket; for texts that people read. */
export function describePlace({ hosts, ports, folder }: DatabaseAddress): string {
  if (folder !== null) return folder;
  return hosts.map((host, at) => `${host.includes(":") ? `[${host}]` : host}:${ports[at]}`).join(",");
}

/** Quotes and line ends come with files and shells that keep them, a byte order mark with some editors. */
export function cleanAddress(given: string): string {
  const text = given.replaceAll(/[\uFEFF\u200B]/g, "").trim();
  const quoted = /^(["'`])([\s\S]*)\1$/.exec(text);
  const plain = (quoted?.[2] ?? text).trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001F\u007F]/.test(plain))
    throw new AddressProblem("has a line end or another control character in it.");
  return plain;
}

type Place = { host: string; port: string };
type Parts = {
  hosts: Place[];
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  parameters: [string, string][];
};

function splitAddress(text: string): Parts {
  if (SCHEME.test(text)) return splitUri(text.replace(SCHEME, ""));
  if (/^[a-z_]+\s*=/.test(text) && !/^[^']*;/.test(text))
    return { hosts: [], user: undefined, password: undefined, database: undefined, parameters: readWords(text) };
  if (/^prisma(\+postgres)?:/i.test(text)) {
    throw new AddressProblem(`is an address of Prisma's own service. Write the database's own: ${FORM}.`);
  }
  if (/^psql\s/.test(text))
    throw new AddressProblem(`is a command line. Write only the address that stands in it: ${FORM}.`);
  if (/^[A-Za-z][A-Za-z ]*=[^;]*;/.test(text)) {
    throw new AddressProblem(`has the form of .NET (Host=…;Username=…). It must look like ${FORM}.`);
  }
  throw new AddressProblem(`must look like ${FORM}. In a user name or a password write ${CODES}.`);
}

/** What follows `postgres://`. */
function splitUri(text: string): Parts {
  const end = text.search(/[/?#]/);
  const authority = end < 0 ? text : text.slice(0, end);
  const tail = end < 0 ? "" : text.slice(end);
  if (tail.includes("@") || tail.includes("#")) {
    throw new AddressProblem(
      `has a raw /, ?, # or @ where it must be percent-encoded, perhaps in the password: write ${CODES}.`,
    );
  }
  // A host has no @, so the last one ends the password: URLs of browsers and of many drivers are read so.
  const at = authority.lastIndexOf("@");
  const account = at < 0 ? "" : authority.slice(0, at);
  const colon = account.indexOf(":");
  const mark = tail.indexOf("?");
  const path = mark < 0 ? tail : tail.slice(0, mark);
  if (path.slice(1).includes("/"))
    throw new AddressProblem("has a second / after the host. In a database's name write %2F for /.");
  return {
    hosts: splitHosts(authority.slice(at + 1)),
    user: decoded(colon < 0 ? account : account.slice(0, colon), "user name"),
    password: colon < 0 ? undefined : decoded(account.slice(colon + 1), "password"),
    database: decoded(path.slice(1), "database's name"),
    parameters: mark < 0 ? [] : splitQuery(tail.slice(mark + 1)),
  };
}

function splitHosts(text: string): Place[] {
  if (text === "") return [];
  return text.split(",").map((one) => {
    const bracketed = /^\[([^\]]+)\](?::(.*))?$/.exec(one);
    if (bracketed) return { host: decoded(bracketed[1] ?? "", "host"), port: bracketed[2] ?? "" };
    if (one.split(":").length > 2) {
      throw new AddressProblem(
        `has a host with several colons. Write an IPv6 address in brackets, [::1]:5432; in a password write ${CODES}.`,
      );
    }
    const [host = "", port = ""] = one.split(":");
    return { host: decoded(host, "host"), port };
  });
}

function splitQuery(text: string): [string, string][] {
  return text
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      const name = at < 0 ? "" : decoded(part.slice(0, at), "parameter");
      if (!/^[A-Za-z_.]{1,64}$/.test(name)) {
        throw new AddressProblem(`has something after ? that is not NAME=VALUE. In a password write ${CODES}.`);
      }
      return [name, decoded(part.slice(at + 1), `parameter ${name}`)];
    });
}

function decoded(text: string, what: string): string {
  try {
    const plain = decodeURIComponent(text);
    if (!plain.includes("\0")) return plain;
  } catch {
    // Said below.
  }
  throw new AddressProblem(`has a % in its ${what} that begins no code. Percent-encode it as UTF-8: ${CODES}.`);
}

/** `host=… password='it''s'`: a value is bare or in single quotes, with \ before ' and \. */
function readWords(text: string): [string, string][] {
  const words: [string, string][] = [];
  const pattern = /\s*([a-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s'\\]|\\.)*))(?=\s|$)/gy;
  let end = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    words.push([found[1] ?? "", (found[2] ?? found[3] ?? "").replaceAll(/\\(.)/g, "$1")]);
    end = pattern.lastIndex;
  }
  if (text.slice(end).trim() === "") return words;
  throw new AddressProblem(
    "is no list of KEYWORD=VALUE. Put a value with spaces in single quotes, with \\ before ' and \\.",
  );
}

/** Where the server is: of the parameters, if they say it, else of the address itself. */
function placesOf(
  named: Place[],
  hosts: string | undefined,
  ports: string | undefined,
): Pick<DatabaseAddress, "hosts" | "ports" | "folder"> {
  const names = hosts === undefined || hosts === "" ? named.map(({ host }) => host) : hosts.split(",");
  if (names.length === 0 || (names.length === 1 && names[0] === "")) names.splice(0, 1, process.env.PGHOST ?? "");
  const ownPorts = hosts === undefined || hosts === "" ? named.map(({ port }) => port) : [named[0]?.port ?? ""];
  const given = ports === undefined ? ownPorts : ports.split(",");
  if (given.length > 1 && given.length !== names.length) {
    throw new AddressProblem(
      `names ${names.length} hosts and ${given.length} ports. Write one port for all, or one for each.`,
    );
  }
  const numbers = names.map((_, at) => portOf(given.length > 1 ? given[at] : given[0]));
  const [first = ""] = names;
  if (names.length === 1 && (first.startsWith("/") || first === "")) {
    const folder = first === "" ? ownSocket(numbers[0] ?? PORT_DEFAULT) : first.replace(/(.)\/+$/, "$1");
    return folder === null
      ? { hosts: ["localhost"], ports: numbers, folder: null }
      : { hosts: [], ports: numbers, folder };
  }
  return { hosts: names.map(hostOf), ports: numbers, folder: null };
}

function ownSocket(port: number): string | null {
  return SOCKET_FOLDERS.find((folder) => existsSync(`${folder}/.s.PGSQL.${port}`)) ?? null;
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === "") return Number(process.env.PGPORT) || PORT_DEFAULT;
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new AddressProblem(
    `has a port that is no number from 1 to 65535. If it is a part of the password, write ${CODES}.`,
  );
}

function hostOf(name: string): string {
  if (name.startsWith("/"))
    throw new AddressProblem("names the folder of a Unix socket beside other hosts. Name one or the other.");
  if (name.startsWith("@"))
    throw new AddressProblem("names an abstract Unix socket, which is not supported. Name its folder, or a host.");
  const host = /^[\x21-\x7e]+$/.test(name) ? name : domainToASCII(name);
  if (/^[A-Za-z0-9._:%-]+$/.test(host)) return host;
  throw new AddressProblem(
    `has a host that is no name and no address. If it is a part of the password, write ${CODES}.`,
  );
}

/** A gateway that somebody else runs, as `--against` names it. */
export type OtherGateway = {
  name: string;
  /** Where it takes chat completions. */
  url: string;
  /** Empty: no key is sent. */
  key: string;
  model: string;
  /** As its operator says it, for the table; empty = it is not given. */
  version: string;
  headers: Record<string, string>;
  /** The root of its process tree on this machine; null = its CPU and memory are not measured. */
  pid: number | null;
};

export const AGAINST_FORM = "NAME=URL,KEY[,MODEL][,version=TEXT][,pid=ID][,header=NAME:VALUE]";
const DEFAULT_MODEL = "bench-model";
const ownNames = /^(direct|floor|nginx|weir.*)$/i;

class WrongAgainst extends Error {
  constructor(text: string, reason: string) {
    super(`--against ${text}: ${reason}\nThe form is --against ${AGAINST_FORM}`);
  }
}

/** The gateways of all `--against` options. Throws with what is wrong and the right form. */
export function parseAgainst(texts: readonly string[]): OtherGateway[] {
  const gateways = texts.map(parseOne);
  for (const [index, { name }] of gateways.entries())
    if (gateways.findIndex((other) => other.name === name) < index)
      throw new WrongAgainst(texts[index] ?? "", `the name ${name} is given twice`);
  return gateways;
}

function parseOne(text: string): OtherGateway {
  const wrong = (reason: string) => new WrongAgainst(text, reason);
  const equals = text.indexOf("=");
  const name = text.slice(0, Math.max(0, equals)).trim();
  if (!/^[\w .-]+$/.test(name))
    throw wrong("it must begin with a name of letters, digits, blanks, dots and dashes, and =");
  if (ownNames.test(name)) throw wrong(`${name} is the name of a row that the bench has anyway`);
  const [address = "", key, ...rest] = text.slice(equals + 1).split(",");
  if (key === undefined) throw wrong("the key is missing; end the address with a comma if there is none");
  const variable = /^env:(\w+)$/.exec(key)?.[1];
  const given = variable === undefined ? key : process.env[variable];
  if (given === undefined) throw wrong(`the environment has no variable ${variable}`);
  const gateway: OtherGateway = {
    name,
    url: chatAddress(address, wrong),
    key: given,
    model: "",
    version: "",
    headers: {},
    pid: null,
  };
  for (const word of rest) addWord(gateway, word, wrong);
  gateway.model ||= DEFAULT_MODEL;
  return gateway;
}

/** The address is that of OpenAI's clients ("base URL"); one without a path gets /v1. */
function chatAddress(address: string, wrong: (reason: string) => Error): string {
  const base = URL.canParse(address) ? new URL(address) : null;
  if (!base || !/^https?:$/.test(base.protocol)) throw wrong(`"${address}" is no http or https address`);
  if (base.search || base.hash || base.username) throw wrong("the address must end with its path");
  const path = base.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  return `${base.origin}${path || "/v1"}/chat/completions`;
}

function addWord(gateway: OtherGateway, word: string, wrong: (reason: string) => Error): void {
  const [, option, value = ""] = /^(pid|header|version)=(.*)$/.exec(word) ?? [];
  if (option === "pid") {
    if (!/^[1-9]\d*$/.test(value)) throw wrong(`"${value}" is no process id`);
    gateway.pid = Number(value);
  } else if (option === "version") {
    if (!/^[\w .+:/-]+$/.test(value)) throw wrong(`"${value}" is no version of letters, digits, blanks and . + : / -`);
    gateway.version = value.trim();
  } else if (option === "header") {
    const [, field, content] = /^([\w-]+):\s*(.+)$/.exec(value) ?? [];
    if (!field || !content) throw wrong(`"${value}" is no header of the form NAME:VALUE`);
    gateway.headers[field.toLowerCase()] = content;
  } else if (gateway.model || !word) {
    throw wrong(word ? `"${word}" is too much after the model ${gateway.model}` : "there is a comma too many");
  } else gateway.model = word;
}

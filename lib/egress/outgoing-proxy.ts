import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "@/lib/env";

/** The proxies of the environment, as curl and most programs read them; null = there are none. */
type Proxies = { https: string; http: string; isExempt: (host: string, port: string) => boolean };

const PORTS: Record<string, string> = { "https:": "443", "http:": "80" };
const LOCAL_NAME = /(^|\.)localhost\.?$/i;
const SCHEMES = ["http:", "https:", "socks5:", "socks5h:"];

let parsed: { text: string; proxies: Proxies | null } | undefined;

/**
 * The proxy for a connection to this address, by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; "" = none. This machine is never
 * asked through one.
 */
export function proxyFor(url: URL): string {
  const proxies = outgoingProxies();
  if (proxies === null) return "";
  const isSecure = url.protocol === "https:" || url.protocol === "wss:";
  const proxy = isSecure ? proxies.https : proxies.http;
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (proxy === "" || isOwn(host)) return "";
  const port = url.port || PORTS[isSecure ? "https:" : "http:"] || "";
  return proxies.isExempt(host, port) ? "" : proxy;
}

/** Whether any outgoing connection has a proxy. */
export function hasOutgoingProxy(): boolean {
  return outgoingProxies() !== null;
}

function outgoingProxies(): Proxies | null {
  const set = env();
  const all = set.all_proxy ?? set.ALL_PROXY ?? "";
  const https = set.https_proxy ?? set.HTTPS_PROXY ?? all;
  const http = set.http_proxy ?? set.HTTP_PROXY ?? all;
  if (https === "" && http === "") return null;
  const exempt = set.no_proxy || set.NO_PROXY;
  const text = JSON.stringify([https, http, exempt]);
  if (parsed?.text !== text) parsed = { text, proxies: readProxies(https, http, exempt) };
  return parsed.proxies;
}

function readProxies(https: string, http: string, exempt: string): Proxies {
  const rules = exempt
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(readRule);
  return {
    https: addressOf(https),
    http: addressOf(http),
    isExempt: (host, port) => rules.some((rule) => rule(host, port)),
  };
}

/** curl takes a proxy without a scheme, and `socks`. */
function addressOf(text: string): string {
  const plain = text.trim();
  if (plain === "") return "";
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(plain) ? plain : `http://${plain}`;
  return whole.replace(/^socks:\/\//i, "socks5://");
}

/** What is wrong with the address of a proxy, in words that follow the variable's name and hold none of it; null = nothing. */
export function describeProxyProblem(text: string): string | null {
  const form = "it must look like http://USER:PASSWORD@HOST:PORT, https://…, socks5://… or socks5h://…";
  const codes = "in a user or a password write %25 for %, %2F for /, %3F for ?, %23 for #, %40 for @";
  const address = addressOf(text);
  if (!URL.canParse(address)) return `cannot be read: ${form}; ${codes}`;
  const url = new URL(address);
  if (!SCHEMES.includes(url.protocol)) return `has a scheme that is not known: ${form}`;
  const isBare = url.hostname !== "" && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "";
  if (!isBare) return `has something after its port, or a raw sign in its password: ${form}; ${codes}`;
  try {
    decodeURIComponent(url.username + url.password);
    return null;
  } catch {
    return `has a % that begins no code: ${codes}`;
  }
}

type Rule = (host: string, port: string) => boolean;

/** An entry of NO_PROXY: *, a host and all below it, an address or a CIDR range, each with or without a port. */
function readRule(entry: string): Rule {
  if (entry === "*") return () => true;
  const range = readRange(entry.replace(/^\[([^\]]+)\]$/, "$1"));
  if (range) return (host) => isWithin(host, range);
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const isPort = (given: string): boolean => port === undefined || port === given;
  const address = readRange(bracketed ?? plain);
  if (address) return (host, given) => isPort(given) && isWithin(host, address);
  const suffix = plain
    .toLowerCase()
    .replace(/^\*?\./, "")
    .replace(/\.$/, "");
  if (suffix === "") return () => false;
  return (host, given) => {
    const name = host.replace(/\.$/, "");
    return isPort(given) && (name === suffix || name.endsWith(`.${suffix}`));
  };
}

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

function readRange(text: string): Range | null {
  const [address = ""] = text.split("/");
  if (isIP(address) === 0) return null;
  if (text.includes("/")) return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : null;
  const read = ipaddr.process(text);
  return [read, read.kind() === "ipv4" ? 32 : 128];
}

function isWithin(host: string, [network, bits]: Range): boolean {
  if (isIP(host) === 0) return false;
  const address = ipaddr.process(host);
  return address.kind() === network.kind() && address.match(network, bits);
}

function isOwn(host: string): boolean {
  return LOCAL_NAME.test(host) || (isIP(host) !== 0 && ipaddr.process(host).range() === "loopback");
}

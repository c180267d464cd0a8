import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import { type AddressRange, readRange } from "@/lib/request/address-list";
import { type Hop, readHops } from "@/lib/request/forwarded-hops";
import { isOf, readTrustedProxies } from "@/lib/request/trusted-proxies";

export type ClientAddress = ((request: IncomingMessage) => string) & {
  /** Whether the connection comes from a trusted proxy, so that its forwarding headers count. */
  isTrustedPeer: (request: IncomingMessage) => boolean;
  /** The protocol and the host that the client asked for, as a trusted proxy says; "" = it does not. */
  told: (request: IncomingMessage) => { proto: string; host: string };
  /** Resolves once the names in TRUST_PROXY were asked for. */
  ready: Promise<void>;
  /** Stops asking for the names. */
  stop: () => void;
};

type ResolveAll = (name: string) => Promise<string[]>;
export type NameSettings = {
  resolve?: ResolveAll;
  /** The names are asked for this often. */
  everyMs?: number;
  /** Told of a name that has no address. */
  onUnknown?: (name: string, error: unknown) => void;
};

const EVERY_MS = 30_000;

/**
 * The client's address: the socket's address or, when that is a trusted proxy, the last address in the forwarding header that
 * is not a trusted proxy. The header is ignored when the client is not a trusted proxy. Throws for a TRUST_PROXY that cannot be read.
 */
export function createClientAddress(trustedProxies: string, settings: NameSettings = {}): ClientAddress {
  const { ranges, names } = readTrustedProxies(trustedProxies);
  const named = names.length === 0 ? null : watchNames(names, settings);
  const isTrusted = (text: string): boolean =>
    isOf(text, ranges) || (named !== null && isOf(text, [...named.known.values()].flat()));
  const peerOf = (request: IncomingMessage): string => plain(request.socket.remoteAddress ?? "");
  const isTrustedPeer = (request: IncomingMessage): boolean => isTrusted(peerOf(request));
  /** The hop of the client; null = no trusted proxy tells of one. */
  const hopOf = (request: IncomingMessage): Hop | null => {
    if (!isTrustedPeer(request)) return null;
    for (const hop of readHops(request.headers).reverse()) {
      if (hop.address === "") return null;
      if (!isTrusted(hop.address)) return hop;
    }
    return null;
  };
  const addressOf = (request: IncomingMessage): string => {
    const hop = ranges.length === 0 && named === null ? null : hopOf(request);
    return hop === null ? peerOf(request) : plain(hop.address);
  };
  const told = (request: IncomingMessage): { proto: string; host: string } => {
    if (!isTrustedPeer(request)) return { proto: "", host: "" };
    const hop = hopOf(request);
    const proto = firstOf(request.headers["x-forwarded-proto"]) || (hop?.proto ?? "");
    return { proto: proto.toLowerCase(), host: firstOf(request.headers["x-forwarded-host"]) || (hop?.host ?? "") };
  };
  return Object.assign(addressOf, {
    isTrustedPeer,
    told,
    ready: named?.ready ?? Promise.resolve(),
    stop: () => named?.stop(),
  });
}

/** Keeps the addresses of the names: a proxy in a container has another one after each start. */
function watchNames(names: string[], { resolve = resolveBySystem, everyMs = EVERY_MS, onUnknown }: NameSettings) {
  const known = new Map<string, AddressRange[]>();
  const ask = async (): Promise<void> => {
    const asked = names.map(async (name) => {
      try {
        const found = await resolve(name);
        known.set(
          name,
          found.map(readRange).filter((range) => range !== null),
        );
      } catch (error) {
        // What it was is kept, so that a name server that is away for a moment changes nothing.
        if (!known.has(name)) onUnknown?.(name, error);
      }
    });
    await Promise.all(asked);
  };
  const timer = setInterval(() => void ask(), everyMs).unref();
  return { known, ready: ask(), stop: () => clearInterval(timer) };
}

const resolveBySystem: ResolveAll = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

function firstOf(header: string | string[] | undefined): string {
  return (
    String(header ?? "")
      .split(",")[0]
      ?.trim() ?? ""
  );
}

/** An IPv4 address that is written as IPv6, also in hexadecimal, is that IPv4 address. */
function plain(address: string): string {
  if (!address.startsWith("::ffff:")) return address;
  const rest = address.slice(7);
  return rest.includes(":") ? ipaddr.process(address).toString() : rest;
}

import { promises as dns } from "node:dns";
import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { env } from "@/lib/env";

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

/** By the system's own rules (hosts file, search domains). Only two of these run at a time, and nothing can end one. */
export const resolveBySystem: Resolve = async (host) => {
  const entries = await lookup(host, { all: true, verbatim: true });
  return entries.map(({ address }) => address);
};

/** An address is used for this long without a question. */
const FRESH_MS = 20_000;
/** Up to this age it is used while the next one is asked for, so that a change counts within a minute. */
const USABLE_MS = 45_000;
/** How long a connection waits for an answer where an older address is known. */
const WAIT_MS = 1_000;
/** After a failure the name is left alone for this long. */
const REST_MS = 5_000;
/** The last good address is kept this long while its name cannot be resolved. */
const KEPT_MS = 3_600_000;
const NAMES_MAX = 2_000;

type Known = { addresses: string[]; at: number; restUntil: number };

/**
 * The names of channels, which are few and asked again and again: remembered, asked for once at a time, and kept where they cannot be
 * resolved any more.
 */
export function createChannelNames(
  resolve: Resolve = resolveBySystem,
  now: () => number = performance.now.bind(performance),
): Resolve {
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<string[]>>();

  function ask(host: string): Promise<string[]> {
    const running = asking.get(host);
    if (running) return running;
    const asked = resolve(host)
      .then(
        (addresses) => {
          known.delete(host);
          known.set(host, { addresses, at: now(), restUntil: 0 });
          for (const oldest of known.keys()) if (known.size > NAMES_MAX) known.delete(oldest);
          return addresses;
        },
        (error: unknown) => {
          rest(host);
          throw error;
        },
      )
      .finally(() => asking.delete(host));
    asking.set(host, asked);
    return asked;
  }

  function rest(host: string): void {
    const entry = known.get(host);
    if (entry) entry.restUntil = now() + REST_MS;
  }

  return async (host) => {
    const entry = known.get(host);
    const age = entry ? now() - entry.at : Number.POSITIVE_INFINITY;
    if (!entry || age > KEPT_MS) return ask(host);
    if (age < FRESH_MS || now() < entry.restUntil) return entry.addresses;
    const asked = ask(host).catch(() => entry.addresses);
    if (age < USABLE_MS) return entry.addresses;
    const late = new AbortController();
    const waited = delay(WAIT_MS, null, { signal: late.signal, ref: false }).catch(() => null);
    const addresses = await Promise.race([asked, waited]);
    late.abort();
    if (addresses === null) rest(host);
    return addresses ?? entry.addresses;
  };
}

/** How long the name of an address may take that a caller gave, waiting for its turn included. */
const CALLERS_MS = 5_000;
const CALLERS_AT_ONCE = 32;
const QUERY = { timeout: 2_000, tries: 2 };
/** How long the addresses of the other kind are waited for. */
const OTHER_KIND_MS = 250;

/**
 * Names that callers and users give. They are asked for over the network in this process's own time, so that a name that is
 * never answered keeps no thread from those of channels: with a time limit, and a bound on how many at once. Search domains do
 * not count.
 */
export function createCallersNames(limits: { atOnce?: number; limitMs?: number } = {}): Resolve {
  const { atOnce = CALLERS_AT_ONCE, limitMs = CALLERS_MS } = limits;
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (host) => {
    const over = AbortSignal.timeout(limitMs);
    if (running >= atOnce) await turn(waiting, over);
    if (over.aborted) throw timedOut(host);
    running += 1;
    try {
      return await query(host, over);
    } catch (error) {
      throw over.aborted ? timedOut(host) : error;
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}

/** Waits until it is called, or the time is over. */
function turn(waiting: (() => void)[], over: AbortSignal): Promise<void> {
  return new Promise((go) => {
    waiting.push(go);
    const giveUp = (): void => {
      const at = waiting.indexOf(go);
      if (at >= 0) waiting.splice(at, 1);
      go();
    };
    over.addEventListener("abort", giveUp, { once: true });
  });
}

async function query(host: string, over: AbortSignal): Promise<string[]> {
  const listed = await inHostsFile(host);
  if (listed.length > 0) return listed;
  // The time may have run out meanwhile, and nobody tells a listener that comes later.
  over.throwIfAborted();
  // One for each name, because cancelling ends all questions of a resolver.
  const resolver = new dns.Resolver(QUERY);
  const { WEIR_EGRESS_DNS: servers } = env();
  if (servers !== "") resolver.setServers(servers.split(",").map((one) => one.trim()));
  over.addEventListener("abort", () => resolver.cancel(), { once: true });
  const kinds = [resolver.resolve4(host), resolver.resolve6(host)];
  const all = Promise.allSettled(kinds).then((ends) =>
    ends.flatMap((end) => (end.status === "fulfilled" ? end.value : [])),
  );
  const first = await Promise.any(kinds).catch((error: AggregateError) => {
    throw error.errors[0];
  });
  const found = await Promise.race([all, delay(OTHER_KIND_MS, first, { ref: false })]);
  resolver.cancel();
  return found;
}

function timedOut(host: string): Error {
  return Object.assign(new Error(`the name ${host} was not resolved in time`), { code: "ETIMEOUT" });
}

/** The operator's own entries go before the network's, as they do for the system. */
async function inHostsFile(host: string): Promise<string[]> {
  const text = await readFile("/etc/hosts", "utf8").catch(() => "");
  const name = host.toLowerCase().replace(/\.$/, "");
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = (line.split("#")[0] ?? "").trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}

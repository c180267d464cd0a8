import ipaddr from "ipaddr.js";

/** Why an invitation is not rewarded. It is counted all the same. */
export type FarmingSign = "daily-limit" | "same-address" | "same-mailbox";

/** The addresses a user signed in from, and the user's e-mail address. */
export type Trace = { addresses: readonly string[]; email: string | null };

const DOTLESS_DOMAINS = new Set(["gmail.com", "googlemail.com"]);
/** A household or a server usually gets a /64 and may use any address in it. */
const IPV6_NETWORK_BYTES = 8;

/**
 * The mailbox of an address: lower case, without "+" and what follows, and without dots where the provider ignores
 * them. Two addresses with the same mailbox belong to the same person.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1).toLowerCase();
  const local = email.slice(0, at).toLowerCase().split("+")[0] ?? "";
  if (!DOTLESS_DOMAINS.has(domain)) return `${local}@${domain}`;
  return `${local.replaceAll(".", "")}@gmail.com`;
}

/**
 * The network of a public address: the address itself for IPv4, its /64 for IPv6. Null for invalid text, and for
 * loopback and private addresses, which all users behind one proxy share and which therefore prove nothing.
 */
export function networkOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return null;
  if (parsed.kind() === "ipv4") return parsed.toString();
  return parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".");
}

/** Why the new user looks like the inviter, or like another of the inviter's invitees; null when neither is the case. */
export function findFarmingSign(newcomer: Trace, known: readonly Trace[], checkAddresses: boolean): FarmingSign | null {
  const { email } = newcomer;
  const mailbox = email === null ? null : mailboxOf(email);
  if (mailbox !== null && known.some((other) => other.email !== null && mailboxOf(other.email) === mailbox)) {
    return "same-mailbox";
  }
  if (!checkAddresses) return null;
  const own = new Set(newcomer.addresses.map(networkOf).filter((network) => network !== null));
  const others = known.flatMap(({ addresses }) => addresses.map(networkOf));
  return others.some((network) => network !== null && own.has(network)) ? "same-address" : null;
}

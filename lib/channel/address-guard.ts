import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { checkEgressUrl } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { requireProofOfSession } from "@/lib/proof";
import { type ChannelSetting, readSetting } from "@/lib/snapshot/channel-setting";
import type { Channel } from "./types";

/** What decides where a channel's requests, and with them its key, go. */
type Address = Pick<Channel, "type" | "baseUrl" | "other" | "setting">;

/**
 * Only root may send requests into the operator's own network; a channel of anybody else connects to public addresses
 * (contract §12 no. 32). The names are judged when they are resolved; see lib/egress.
 */
export function isRoot(ctx: ServiceContext): boolean {
  return requireRole(ctx, ROLE.admin).role >= ROLE.root;
}

/** Whether requests would go to another place than before. */
export function leadsElsewhere(before: Address, after: Address): boolean {
  return (
    before.type !== after.type ||
    bare(before.baseUrl) !== bare(after.baseUrl) ||
    before.other.trim() !== after.other.trim() ||
    proxyOf(before) !== proxyOf(after)
  );
}

/**
 * A key that is stored is known to nobody but its upstream. Who could change the address could have it sent to
 * themselves, so that takes the key again, or root, whose session needs a fresh proof. Throws.
 */
export function mayMove(ctx: ServiceContext, after: Address, key: string | undefined): void {
  checkAddress(ctx, after);
  if ((key ?? "").trim() !== "") return;
  if (!isRoot(ctx)) throw new AppError("forbidden", "channelKeyAgain");
  requireProofOfSession(ctx);
}

/**
 * Who lets callers name files of the upstream's own storage gives them what the account of the stored key may read: that takes
 * the key again, or root. Throws.
 */
export function mayAllowStored(ctx: ServiceContext, before: Address, after: Address, key: string | undefined): void {
  const isMore = settingOf(after).allowsStoredFiles && !settingOf(before).allowsStoredFiles;
  if (isMore && (key ?? "").trim() === "" && !isRoot(ctx)) throw new AppError("forbidden", "channelStoredFiles");
}

/** Throws invalid when an administrator enters an address on a private network. */
export function checkAddress(ctx: ServiceContext, address: Pick<Address, "baseUrl" | "setting">): void {
  if (isRoot(ctx)) return;
  const { baseUrl } = address;
  if (baseUrl !== "") checkEgressUrl(baseUrl.replace(/^ws/i, "http").replaceAll("{model}", "model"), "public");
  const proxy = proxyOf(address);
  if (!URL.canParse(proxy)) return;
  const url = new URL(proxy);
  checkEgressUrl(`http://${url.host}`, "public");
}

function settingOf({ setting }: Pick<Address, "setting">): ChannelSetting {
  return readSetting(setting === "" ? {} : (JSON.parse(setting) as Record<string, unknown>));
}

function proxyOf(address: Pick<Address, "setting">): string {
  return settingOf(address).proxy;
}

function bare(url: string): string {
  return url.trim().replace(/\/{1,64}$/, "");
}

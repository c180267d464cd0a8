import { readStored, writeStored } from "@/components/shell/stored";

const WARNED_KEY = "chat-key-warned";

const warnedHosts = (): string[] => (readStored(WARNED_KEY) ?? "").split(",").filter(Boolean);

/** Whether this browser's reader knows already that the site gets a token's key. */
export const isWarned = (host: string): boolean => warnedHosts().includes(host);

/** From now on the reader knows. */
export function rememberWarning(host: string): void {
  if (!isWarned(host)) writeStored(WARNED_KEY, [...warnedHosts(), host].join(","));
}

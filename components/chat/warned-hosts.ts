import { readStored, writeStored } from "@/components/ui/stored";

const WARNED_KEY = "chat-key-warned";

const warnedHosts = (): string[] => (readStored(WARNED_KEY) ?? "").split(",").filter(Boolean);

/** Whether this browser has already shown the warning that this host gets a token's key. */
export const isWarned = (host: string): boolean => warnedHosts().includes(host);

export function rememberWarning(host: string): void {
  if (!isWarned(host)) writeStored(WARNED_KEY, [...warnedHosts(), host].join(","));
}

import { z } from "zod";
import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";

/** Contract §9.1. */
const EMAIL_LENGTH_MAX = 50;

/** Trimmed and in lower case, as addresses are stored. */
export const emailSchema = z
  .string("emailInvalid")
  .trim()
  .toLowerCase()
  .max(EMAIL_LENGTH_MAX, "emailInvalid")
  .pipe(z.email("emailInvalid"));

/** Throws invalid for an address that the options forbid: by its domain, or because it may be an alias. */
export function assertEmailAllowed(email: string, options: OptionValues): void {
  const at = email.lastIndexOf("@");
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  if (options.EmailDomainRestrictionEnabled) {
    const allowed = options.EmailDomainWhitelist.split(",").map((entry) => entry.trim().toLowerCase());
    if (!allowed.includes(domain)) throw new AppError("invalid", "emailDomainRefused", { field: "email", domain });
  }
  if (options.EmailAliasRestrictionEnabled && /[+.]/.test(local)) {
    throw new AppError("invalid", "emailAliasRefused", { field: "email" });
  }
}

import { z } from "zod";

/** Numbers that /api sends and takes, by their names: channel types, roles, statuses, kinds of log rows. */
export type Names = Readonly<Record<string, number>>;

/** As a name is compared: "Azure", "azure" and "auto_disabled", "autoDisabled" are the same. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The number of a name; a text of digits is that number. Undefined = there is no such name. */
export function numberOf(names: Names, text: string): number | undefined {
  if (/^-?\d{1,9}$/.test(text.trim())) return Number(text);
  const wanted = plain(text);
  return wanted === "" ? undefined : Object.entries(names).find(([name]) => plain(name) === wanted)?.[1];
}

/** A number or its name. Which numbers are allowed is for the command to check. `except`: names that clients cannot set. */
export function named(names: Names, messageKey: string) {
  return z.union([z.number(messageKey).int(messageKey), nameOf(names, messageKey)], messageKey);
}

/** One of a few numbers, or its name. */
function oneNamed(names: Names, messageKey: string) {
  return z.union([z.literal(Object.values(names), messageKey), nameOf(names, messageKey)], messageKey);
}

const SWITCH = { enabled: 1, disabled: 2 } as const;

/** What a row can be switched to. */
export const switchStatus = (messageKey: string) =>
  oneNamed(SWITCH, messageKey).pipe(z.literal([SWITCH.enabled, SWITCH.disabled], messageKey));

function nameOf(names: Names, messageKey: string) {
  const known = Object.keys(names);
  return z
    .string(messageKey)
    .transform((text, ctx) => {
      const number = numberOf(names, text);
      if (number !== undefined) return number;
      ctx.addIssue({ code: "custom", message: messageKey });
      return z.NEVER;
    })
    .meta({ enum: known });
}

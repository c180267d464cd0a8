import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "./class-names";

/** The named hues of console §1.4. Each colour pair passes WCAG AA in both themes. */
const HUES = {
  amber: "bg-amber-100 text-amber-900 dark:bg-amber-950 dark:text-amber-300",
  blue: "bg-blue-100 text-blue-800 dark:bg-blue-950 dark:text-blue-300",
  cyan: "bg-cyan-100 text-cyan-900 dark:bg-cyan-950 dark:text-cyan-300",
  green: "bg-green-100 text-green-800 dark:bg-green-950 dark:text-green-300",
  grey: "bg-zinc-100 text-zinc-700 dark:bg-zinc-800 dark:text-zinc-300",
  indigo: "bg-indigo-100 text-indigo-800 dark:bg-indigo-950 dark:text-indigo-300",
  "light-blue": "bg-sky-100 text-sky-800 dark:bg-sky-950 dark:text-sky-300",
  lime: "bg-lime-100 text-lime-900 dark:bg-lime-950 dark:text-lime-300",
  orange: "bg-orange-100 text-orange-900 dark:bg-orange-950 dark:text-orange-300",
  pink: "bg-pink-100 text-pink-800 dark:bg-pink-950 dark:text-pink-300",
  purple: "bg-purple-100 text-purple-800 dark:bg-purple-950 dark:text-purple-300",
  red: "bg-red-100 text-red-800 dark:bg-red-950 dark:text-red-300",
  teal: "bg-teal-100 text-teal-900 dark:bg-teal-950 dark:text-teal-300",
  violet: "bg-violet-100 text-violet-800 dark:bg-violet-950 dark:text-violet-300",
  yellow: "bg-yellow-100 text-yellow-900 dark:bg-yellow-950 dark:text-yellow-300",
} as const;

export type Hue = keyof typeof HUES;

const HUE_NAMES = Object.keys(HUES) as Hue[];

/** The hue depends only on the text: the sum of its character codes modulo 15. */
export function hueOf(text: string): Hue {
  let sum = 0;
  for (const character of text) sum += character.charCodeAt(0);
  return HUE_NAMES[sum % HUE_NAMES.length] ?? "grey";
}

/** Also used for buttons and links that look like badges. */
export const badgeVariants = cva(
  "inline-flex max-w-full items-center gap-1 whitespace-nowrap rounded px-1.5 py-0.5 font-medium text-xs leading-4 [&_svg]:size-3 [&_svg]:shrink-0",
  { variants: { hue: HUES }, defaultVariants: { hue: "grey" } },
);

export function Badge({ hue, className, ...props }: ComponentProps<"span"> & VariantProps<typeof badgeVariants>) {
  return <span data-slot="badge" dir="auto" className={cn(badgeVariants({ hue }), className)} {...props} />;
}

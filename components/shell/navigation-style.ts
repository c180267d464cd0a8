export const entryClasses =
  "flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-foreground/85 transition-colors hover:bg-muted [&_svg]:size-4 [&_svg]:shrink-0";
export const currentClasses = "bg-accent font-medium text-accent-foreground hover:bg-accent";

export const entryClasses =
  "flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-foreground/85 transition-colors hover:bg-muted [&_svg]:size-4 [&_svg]:shrink-0";
export const currentClasses = "bg-accent font-medium text-accent-foreground hover:bg-accent";
export const headingClasses =
  "mb-0.5 flex h-7 w-full items-center gap-1 rounded-md px-2.5 font-medium text-muted-foreground text-xs hover:text-foreground [&_svg]:size-3.5";

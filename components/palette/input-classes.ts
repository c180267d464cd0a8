/** The palette's field looks the same before and after its code is here. */
export const INPUT_CLASSES =
  "h-12 w-full border-b bg-transparent px-4 text-base outline-none placeholder:text-muted-foreground";

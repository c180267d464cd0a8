"use client";

import { useTheme } from "next-themes";
import { Toaster as Sonner, toast } from "sonner";

export const sonner = toast;

/** Below the top bar and the heads of drawers, whose close buttons stay free, and below the bar about the session. */
const TOP = "max(4.5rem, calc(var(--session-bar, 0px) + 0.75rem))";

/** Uses its own colours, because the library's rich colours fail the contrast check. */
export function SonnerToaster() {
  const { resolvedTheme } = useTheme();
  return (
    <Sonner
      theme={resolvedTheme === "dark" ? "dark" : "light"}
      position="top-center"
      closeButton={false}
      offset={{ top: TOP }}
      mobileOffset={{ top: TOP }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            "flex w-full items-start gap-2.5 rounded-lg border bg-surface px-4 py-3 text-foreground text-sm shadow-lg [&_svg]:size-4 [&_svg]:mt-0.5",
          error: "[&_svg]:text-destructive",
          success: "[&_svg]:text-success",
          warning: "[&_svg]:text-warning",
          info: "[&_svg]:text-primary",
        },
      }}
    />
  );
}

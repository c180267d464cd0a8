import { type ComponentProps, Suspense } from "react";
import { Notices } from "@/app/(console)/notices";
import { Keyboard } from "@/components/palette/keyboard";
import { PaletteButton } from "@/components/palette/palette-button";
import { Texts } from "@/components/shell/texts";

/** What signed-in users get on public pages, with texts that visitors do not need. */
export function SignedInKeyboard(props: ComponentProps<typeof Keyboard>) {
  return (
    <Texts of={["palette", "setting.tab"]}>
      <Keyboard {...props} />
    </Texts>
  );
}

export function SignedInTools() {
  return (
    <Texts of={["notify.centre", "palette"]}>
      <PaletteButton />
      <Suspense>
        <Notices />
      </Suspense>
    </Texts>
  );
}

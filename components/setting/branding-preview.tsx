"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Brand } from "@/components/shell/brand";
import { isImageAddress } from "@/lib/option/image-address";
import type { OptionView } from "@/lib/option/types";
import { type CardState, textOf } from "./card-draft";
import { ContentPreview } from "./content-preview";

type BrandingPreviewProps = { options: readonly OptionView[]; state: CardState };

/** How name, logo and footer will look, as they are typed. */
export function BrandingPreview({ options, state }: BrandingPreviewProps) {
  const t = useTranslations("setting.branding");
  const shell = useTranslations("shell");
  const textOfKey = (key: string) => {
    const view = options.find((option) => option.key === key);
    return view ? textOf(state, view).trim() : "";
  };
  const name = textOfKey("SystemName") || "Weir";
  const logo = textOfKey("Logo");
  const footer = textOfKey("Footer");
  return (
    <section aria-label={t("preview")} data-branding-preview className="mb-4 overflow-hidden rounded-lg border">
      <div className="flex items-center gap-2 border-b bg-muted px-3 pt-2">
        <span dir="auto" className="max-w-56 truncate rounded-t-md border border-b-0 bg-surface px-3 py-1 text-xs">
          {`${shell("home")} · ${name}`}
        </span>
      </div>
      <div className="flex h-14 items-center border-b bg-surface px-4">
        <Logo key={logo} name={name} logo={logo} />
      </div>
      <div dir="auto" className="bg-surface px-4 py-3 text-center text-muted-foreground text-xs">
        {footer === "" ? shell("footer", { name }) : <ContentPreview text={htmlOf(footer)} title={t("footer")} />}
      </div>
    </section>
  );
}

/** Without a tag the footer is text, which the preview would read as Markdown. */
const htmlOf = (footer: string): string => (footer.startsWith("<") ? footer : `<div>${footer}</div>`);

function Logo({ name, logo }: { name: string; logo: string }) {
  const t = useTranslations("setting.branding");
  const [failed, setFailed] = useState(false);
  const isAllowed = logo === "" || isImageAddress(logo);
  return (
    <>
      <span onErrorCapture={() => setFailed(true)}>
        <Brand name={name} logo={isAllowed ? logo : ""} />
      </span>
      {isAllowed && !failed ? null : (
        <span role="status" className="ml-3 text-destructive text-xs">
          {t(isAllowed ? "logoFailed" : "logoRefused")}
        </span>
      )}
    </>
  );
}

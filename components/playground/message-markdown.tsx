"use client";

import { ImageOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ComponentProps, memo, type ReactNode } from "react";
import type { Components, ExtraProps } from "react-markdown";
import { CopyButton } from "@/components/form/copy-button";
import { RichMarkdown, textOf } from "@/components/format/rich-markdown";

/**
 * Model output as Markdown without HTML. External images are not loaded: by prompt injection, an image URL could leak the
 * conversation to another site.
 */
export const MessageMarkdown = memo(function MessageMarkdown({ text }: { text: string }) {
  return <RichMarkdown text={text} parts={PARTS} />;
});

function OutsideLink({ href, children }: ComponentProps<"a">) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function BlockedImage({ alt, src }: ComponentProps<"img">) {
  const t = useTranslations("playground");
  const address = typeof src === "string" ? src : "";
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={address}
      className="inline-flex items-center gap-1 rounded bg-muted px-1.5 py-0.5 text-xs"
    >
      <ImageOff className="size-3.5" aria-hidden />
      {t("imageBlocked", { name: alt || address })}
    </a>
  );
}

function Code({ children, node }: ComponentProps<"pre"> & ExtraProps) {
  const t = useTranslations("playground");
  return (
    <div className="relative my-2 [&_pre]:my-0">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="pr-11"
      >
        {children as ReactNode}
      </pre>
      <CopyButton
        variant="ghost"
        size="icon"
        aria-label={t("copyCode")}
        className="absolute top-1 right-1"
        text={node ? textOf(node) : ""}
      />
    </div>
  );
}

type HeadingProps = { children?: ReactNode };

/** All heading levels become h3 below the speaker's name; only the size reflects the level. */
const LargeHeading = ({ children }: HeadingProps) => (
  <h3 dir="auto" className="text-lg">
    {children}
  </h3>
);
const MiddleHeading = ({ children }: HeadingProps) => (
  <h3 dir="auto" className="text-base">
    {children}
  </h3>
);
const SmallHeading = ({ children }: HeadingProps) => (
  <h3 dir="auto" className="text-sm">
    {children}
  </h3>
);

const PARTS: Components = {
  a: OutsideLink,
  img: BlockedImage,
  pre: Code,
  h1: LargeHeading,
  h2: MiddleHeading,
  h3: SmallHeading,
  h4: SmallHeading,
  h5: SmallHeading,
  h6: SmallHeading,
};

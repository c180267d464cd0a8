"use client";

import { Check, Copy } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ComponentProps, useState } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { showCopyFailure } from "./copy-failure";

const COPIED_MS = 1500;

/** Copies text and shows a toast. If the browser refuses, a dialog shows the text for manual copying. */
export function useCopy(): (text: string, said?: string) => Promise<boolean> {
  const t = useTranslations("common");
  return async (text, said) => {
    const done = await writeClipboard(text);
    if (done) toast.success(said ?? t("copied"), { duration: COPIED_MS });
    else showCopyFailure(text);
    return done;
  };
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Fallback for pages without https, where the clipboard API is missing. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  (document.querySelector("[role=dialog]") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

type CopyButtonProps = Omit<ComponentProps<typeof Button>, "onClick"> & {
  text: string | (() => Promise<string | null>);
};

export function CopyButton({ text, children, ...rest }: CopyButtonProps) {
  const copy = useCopy();
  const [copied, setCopied] = useState(false);
  const [pending, setPending] = useState(false);
  const onCopy = async () => {
    setPending(true);
    const value = typeof text === "string" ? text : await text();
    setPending(false);
    if (value === null || !(await copy(value))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <Button {...rest} pending={pending} onClick={onCopy}>
      {copied ? <Check className="text-success" /> : pending ? null : <Copy />}
      {children}
    </Button>
  );
}

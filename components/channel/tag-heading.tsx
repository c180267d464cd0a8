"use client";

import { ChevronRight } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useListTransition } from "@/components/data-table/list-transition";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { TAG_MEMBERS_SHOWN } from "@/lib/channel/tag-types";
import { channelFilterParams, channelViewParams } from "./channel-search";

type TagHeadingProps = { tag: string; members: number; isOpen: boolean };

const params = { open: channelViewParams.open, tags: channelViewParams.tags, tag: channelFilterParams.tag };

/** The name of a tag; expands to its members. With many members it shows the first ones and a link to all. */
export function TagHeading({ tag, members, isOpen }: TagHeadingProps) {
  const t = useTranslations("channel");
  const { startTransition } = useListTransition();
  const [{ open }, setView] = useQueryStates(params, { shallow: false, startTransition });
  const onToggle = () => {
    const others = (open ?? []).filter((other) => other !== tag);
    setView({ open: isOpen ? (others.length === 0 ? null : others) : [...others, tag] });
  };
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex min-w-0 items-center gap-1 rounded font-medium hover:underline"
      >
        <ChevronRight aria-hidden className={cn("size-4 shrink-0 transition-transform", isOpen && "rotate-90")} />
        <span dir="auto" className="truncate">
          {t("tagNamed", { tag })}
        </span>
      </button>
      <span className="font-normal text-muted-foreground text-xs">{t("members", { count: members })}</span>
      {isOpen && members > TAG_MEMBERS_SHOWN ? (
        <Button
          variant="ghost"
          className="h-6 px-1.5 text-primary text-xs"
          onClick={() => setView({ tags: null, open: null, tag: [tag] })}
        >
          {t("showAllMembers")}
        </Button>
      ) : null}
    </span>
  );
}

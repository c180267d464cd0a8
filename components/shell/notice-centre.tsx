"use client";

import { Bell as BellIcon, CheckCheck } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { Popover } from "radix-ui";
import { type ComponentProps, type ReactNode, useState } from "react";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { keptWhileComposing } from "@/components/ui/composing";
import { Link } from "@/components/ui/link";
import { type NoticeItem, type NoticeState, useNotices } from "./use-notices";

/** Above this the badge shows "99+"; the server counts at most 100. */
const BADGE_MAX = 99;

/** The bell in the top bar with the unread count; opens the latest messages. */
export function NoticeCentre({ initial, announcement }: { initial: NoticeState; announcement?: ReactNode }) {
  const t = useTranslations("notify.centre");
  const [open, setOpen] = useState(false);
  const { unread, items, refresh, markRead } = useNotices(initial);
  const onOpen = (next: boolean) => {
    setOpen(next);
    if (next) void refresh();
  };
  return (
    <Popover.Root open={open} onOpenChange={onOpen}>
      <Popover.Trigger asChild>
        <Bell unread={unread} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          onEscapeKeyDown={keptWhileComposing()}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t("title")}
          className="data-[state=open]:fade-in-0 z-50 flex max-h-[min(32rem,80dvh)] w-[min(24rem,calc(100vw-1rem))] flex-col rounded-lg border bg-surface shadow-lg data-[state=open]:animate-in"
        >
          <div className="flex items-center justify-between gap-2 border-b px-4 py-2">
            <h2 dir="auto" className="font-semibold">
              {t("title")}
            </h2>
            <Button variant="ghost" disabled={unread === 0} onClick={() => markRead(null)}>
              <CheckCheck aria-hidden />
              {t("markAll")}
            </Button>
          </div>
          {announcement ? (
            <section aria-label={t("announcement")} className="max-h-40 overflow-y-auto border-b bg-muted/50 px-4 py-3">
              <h3 dir="auto" className="mb-1 font-medium text-sm">
                {t("announcement")}
              </h3>
              {announcement}
            </section>
          ) : null}
          <NoticeList
            items={items}
            onFollow={(item) => (item.read ? undefined : markRead([item.id]))}
            onLeave={setOpen}
          />
          <div className="border-t p-1 text-center">
            <Button asChild variant="ghost" className="w-full font-normal">
              <Link href={"/setting#notification" as Route} onClick={() => setOpen(false)}>
                {t("settings")}
              </Link>
            </Button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Forwards the props that the popover trigger passes in. */
function Bell({ unread, ...trigger }: ComponentProps<typeof Button> & { unread: number }) {
  const t = useTranslations("notify.centre");
  return (
    <Button
      {...trigger}
      variant="ghost"
      size="iconMd"
      aria-label={t("unreadCount", { count: unread })}
      className="relative"
      data-testid="notice-bell"
    >
      <BellIcon />
      {unread > 0 ? (
        <span
          aria-hidden
          className="absolute top-0.5 right-0 min-w-4 rounded-full bg-destructive px-1 text-center font-medium text-[0.625rem] text-destructive-foreground leading-4"
        >
          {unread > BADGE_MAX ? `${BADGE_MAX}+` : unread}
        </span>
      ) : null}
    </Button>
  );
}

type NoticeListProps = {
  items: readonly NoticeItem[];
  onFollow: (item: NoticeItem) => void;
  onLeave: (open: false) => void;
};

function NoticeList({ items, onFollow, onLeave }: NoticeListProps) {
  const t = useTranslations("notify.centre");
  if (items.length === 0)
    return (
      <div className="px-6 py-10 text-center">
        <p className="font-medium">{t("empty")}</p>
        <p className="mt-1 text-muted-foreground text-sm">{t("emptyText")}</p>
      </div>
    );
  return (
    <ul className="min-h-0 flex-1 divide-y overflow-y-auto">
      {items.map((item) => (
        <li key={item.id}>
          <Link
            href={item.path as Route}
            onClick={() => {
              onFollow(item);
              onLeave(false);
            }}
            className="flex gap-2.5 px-4 py-3 outline-offset-[-2px] hover:bg-muted"
          >
            <span className={`mt-1.5 size-2 shrink-0 rounded-full ${item.read ? "" : "bg-primary"}`} aria-hidden />
            <span className="min-w-0 flex-1">
              <span className="block break-words font-medium text-sm">
                {item.title}
                {item.read ? null : <span className="sr-only">{` (${t("unread")})`}</span>}
              </span>
              <span className="mt-0.5 block break-words text-muted-foreground text-xs">{item.content}</span>
              <span className="mt-1 block text-muted-foreground text-xs">
                <Time seconds={item.created_at} />
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

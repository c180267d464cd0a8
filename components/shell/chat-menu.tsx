"use client";

import { ChevronDown, MessageCircle } from "lucide-react";
import type { Route } from "next";
import { usePathname } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useId, useState } from "react";
import { Menu } from "@/components/overlay/menu";
import { cn } from "@/components/ui/class-names";
import { DropdownMenuItem } from "@/components/ui/dropdown-menu";
import { Link } from "@/components/ui/link";
import { readStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import { readChats } from "./chat-links";
import { isCurrent } from "./menu";

export const entryClasses =
  "flex h-9 w-full items-center gap-2.5 rounded-md px-2.5 text-foreground/85 transition-colors hover:bg-muted [&_svg]:size-4 [&_svg]:shrink-0";
export const currentClasses = "bg-accent font-medium text-accent-foreground hover:bg-accent";
export const headingClasses =
  "mb-0.5 flex h-7 w-full items-center gap-1 rounded-md px-2.5 font-medium text-muted-foreground text-xs hover:text-foreground [&_svg]:size-3.5";

const ERROR_MS = 5000;

type ChatMenuProps = { names: readonly string[]; collapsed: boolean; onNavigate?: () => void };

/** The chat menu entry with one link per configured client (B131). */
export function ChatMenu({ names, collapsed, onNavigate }: ChatMenuProps) {
  const t = useTranslations("shell");
  const path = usePathname();
  const id = useId();
  const [open, setOpen] = useState(true);
  const inside = isCurrent(path, "/chat");
  const links = names.map((name, index) => ({ name, href: `/chat/${index}` as Route }));
  if (collapsed)
    return (
      <Menu
        label={t("chat")}
        trigger={
          <button type="button" aria-label={t("chat")} className={cn(entryClasses, inside && currentClasses)}>
            <MessageCircle aria-hidden />
          </button>
        }
      >
        {links.map(({ name, href }) => (
          <DropdownMenuItem key={href} asChild>
            <Link href={href}>{name}</Link>
          </DropdownMenuItem>
        ))}
      </Menu>
    );
  return (
    <>
      <span className="flex items-center">
        <Link
          href="/chat/0"
          {...(onNavigate ? { onClick: onNavigate } : {})}
          className={cn(entryClasses, "flex-1", inside && !open && currentClasses)}
        >
          <MessageCircle aria-hidden />
          <span dir="auto" className="truncate">
            {t("chat")}
          </span>
        </Link>
        <button
          type="button"
          aria-label={t("chatClients")}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="grid size-9 shrink-0 place-items-center rounded-md text-muted-foreground hover:bg-muted"
        >
          <ChevronDown aria-hidden className={cn("size-4 transition-transform", open && "rotate-180")} />
        </button>
      </span>
      <ul id={id} hidden={!open} className="mt-0.5 flex flex-col gap-0.5 pl-6.5">
        {links.map(({ name, href }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={path === href ? "page" : undefined}
              {...(onNavigate ? { onClick: onNavigate } : {})}
              className={cn(entryClasses, "h-8", path === href && currentClasses)}
            >
              <span dir="auto" className="truncate">
                {name}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Shows an error if the stored chat settings cannot be parsed (B264). */
export function ChatDataCheck() {
  const t = useTranslations("chat.data");
  useEffect(() => {
    try {
      readChats(readStored("chats"));
    } catch {
      toast.error(t("broken"), { duration: ERROR_MS });
    }
  }, [t]);
  return null;
}

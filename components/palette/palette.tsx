"use client";

import { Command } from "cmdk";
import {
  ArrowRight,
  Copy,
  Keyboard as KeyboardIcon,
  KeyRound,
  Languages,
  LogOut,
  type LucideIcon,
  Moon,
  Network,
  Plus,
  ScrollText,
  Settings,
  Sun,
  User,
} from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "next-intl";
import { useTheme } from "next-themes";
import { type ReactNode, useState } from "react";
import { useCopy } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { setLocale, signOut } from "@/components/shell/actions";
import { menuEntries, type ShellMenu } from "@/components/shell/menu";
import { useChooseTheme } from "@/components/shell/theme";
import type { Found } from "@/lib/palette/queries";
import { INPUT_CLASSES } from "./input-classes";
import { showWindow } from "./open-state";
import { useFound } from "./use-found";

export type PaletteProps = {
  menu: ShellMenu;
  baseUrl: string;
  onClose: () => void;
  /** What was typed before the palette was here. */
  startTerm: string;
};

/** The command palette: opens pages, finds records, runs commands. */
export function Palette({ menu, baseUrl, onClose, startTerm }: PaletteProps) {
  const t = useTranslations("palette");
  const router = useRouter();
  const [term, setTerm] = useState(startTerm);
  const found = useFound(term);
  const go = (path: string) => {
    onClose();
    router.push(path as Route);
  };
  return (
    <Command label={t("title")} filter={matches} loop>
      <Command.Input
        dir="auto"
        ref={focusEnd}
        value={term}
        onValueChange={setTerm}
        placeholder={t("placeholder")}
        className={INPUT_CLASSES}
      />
      <Command.List label={t("title")} className="max-h-[60dvh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-muted-foreground">
          {found.pending ? t("searching") : t("nothing")}
        </Command.Empty>
        <FoundItems found={found.items} onGo={go} />
        {found.failed ? (
          <p role="alert" className="px-3 py-2 text-destructive text-xs">
            {t("searchFailed")}
          </p>
        ) : null}
        <PageItems menu={menu} onGo={go} />
        <SettingItems role={menu.role} onGo={go} />
        <CommandItems menu={menu} baseUrl={baseUrl} onGo={go} onClose={onClose} />
      </Command.List>
    </Command>
  );
}

/** Typing goes on where it was when this field takes the place of the one before. */
function focusEnd(field: HTMLInputElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** An entry matches if every word occurs in its value or keywords. Server results always match. */
function matches(value: string, search: string, keywords: string[] = []): number {
  if (keywords.includes("found")) return 1;
  const text = [value, ...keywords].join(" ").toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(word)) ? 1 : 0;
}

type ItemProps = { value: string; keywords?: string[]; icon: LucideIcon; onSelect: () => void; children: ReactNode };

function Item({ icon: Icon, children, ...rest }: ItemProps) {
  return (
    <Command.Item
      dir="auto"
      {...rest}
      className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-2 data-[selected=true]:bg-muted [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted-foreground"
    >
      <Icon aria-hidden />
      {children}
    </Command.Item>
  );
}

const groupClasses =
  "[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-muted-foreground [&_[cmdk-group-heading]]:text-xs";

const FOUND_ICONS = { channel: Network, user: User, token: KeyRound, log: ScrollText, setting: Settings } as const;

function FoundItems({ found, onGo }: { found: readonly Found[]; onGo: (path: string) => void }) {
  const t = useTranslations("palette");
  if (found.length === 0) return null;
  return (
    <Command.Group heading={t("found")} className={groupClasses}>
      {found.map((item) => (
        <Item
          key={`${item.kind} ${item.id}`}
          value={`${item.kind} ${item.id}`}
          keywords={["found"]}
          icon={FOUND_ICONS[item.kind]}
          onSelect={() => onGo(item.path)}
        >
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {item.title}
            <span className="ml-2 text-muted-foreground text-xs">{item.hint}</span>
          </span>
          <span className="text-muted-foreground text-xs">{t(item.kind)}</span>
        </Item>
      ))}
    </Command.Group>
  );
}

function PageItems({ menu, onGo }: { menu: ShellMenu; onGo: (path: string) => void }) {
  const t = useTranslations("palette");
  const shell = useTranslations("shell");
  const pages = [
    ...menuEntries(menu).map((entry) => ({ path: entry.path, name: shell(entry.label) })),
    { path: "/", name: shell("home") },
    { path: "/pricing", name: shell("pricing") },
    { path: "/about", name: shell("about") },
  ];
  return (
    <Command.Group heading={t("pages")} className={groupClasses}>
      {pages.map(({ path, name }) => (
        <Item key={path} value={`page ${name}`} keywords={[path]} icon={ArrowRight} onSelect={() => onGo(path)}>
          <span className="flex-1">{name}</span>
          <span className="text-muted-foreground text-xs">{path}</span>
        </Item>
      ))}
    </Command.Group>
  );
}

const ADMIN = 10;
const ROOT = 100;

/** What people look for that stands on their own settings. */
const OWN_WORDS =
  "password 2fa two-factor passkey sessions notifications access token 密码 二次验证 通行密钥 会话 通知 访问令牌 两步验证";

/** What people look for that is done in the price list. */
const PRICE_WORDS = "prices raise lower discount margin 价格 涨价 降价 调价 价目表 定价";

/** One entry for each settings page, and for the price list below them. */
function SettingItems({ role, onGo }: { role: number; onGo: (path: string) => void }) {
  const t = useTranslations("palette");
  const tabName = useTranslations("setting.tab");
  const tabs = [
    { tab: "personal", role: 1 },
    { tab: "operation", role: ROOT },
    { tab: "system", role: ROOT },
    { tab: "other", role: ROOT },
  ] as const;
  return (
    <Command.Group heading={t("settings")} className={groupClasses}>
      {tabs
        .filter((entry) => role >= entry.role)
        .map(({ tab }) => (
          <Item
            key={tab}
            value={`setting ${tabName(tab)}`}
            keywords={["setting", tab, tab === "personal" ? OWN_WORDS : ""]}
            icon={Settings}
            onSelect={() => onGo(`/setting?tab=${tab}`)}
          >
            {tabName(tab)}
          </Item>
        ))}
      {role >= ROOT ? (
        <Item
          value={`setting ${t("priceList")}`}
          keywords={["price list", PRICE_WORDS]}
          icon={Settings}
          onSelect={() => onGo("/setting/prices/list")}
        >
          {t("priceList")}
        </Item>
      ) : null}
    </Command.Group>
  );
}

function NewItems({ role, onGo }: { role: number; onGo: (path: string) => void }) {
  const t = useTranslations("palette");
  const things = [
    { name: t("newToken"), path: "/token?create=true", role: 1 },
    { name: t("newAlert"), path: "/alert?alerts=new", role: 1 },
    { name: t("newChannel"), path: "/channel?create=true", role: ADMIN },
    { name: t("newUser"), path: "/user?create=true", role: ADMIN },
    { name: t("newRedemption"), path: "/redemption?create=true", role: ADMIN },
  ];
  return things
    .filter((thing) => role >= thing.role)
    .map(({ name, path }) => (
      <Item key={path} value={name} keywords={[path]} icon={Plus} onSelect={() => onGo(path)}>
        {name}
      </Item>
    ));
}

type CommandItemsProps = Omit<PaletteProps, "startTerm"> & { onGo: (path: string) => void };

function CommandItems({ menu, baseUrl, onGo, onClose }: CommandItemsProps) {
  const t = useTranslations("palette");
  const locale = useLocale();
  const { resolvedTheme } = useTheme();
  const chooseTheme = useChooseTheme();
  const { run } = useRunAction();
  const copy = useCopy();
  const dark = resolvedTheme === "dark";
  const done = (act: () => void) => () => {
    onClose();
    act();
  };
  const other = locale === "zh" ? "en" : "zh";
  return (
    <Command.Group heading={t("commands")} className={groupClasses}>
      <NewItems role={menu.role} onGo={onGo} />
      <Item
        value={t("copyBaseUrl")}
        keywords={["base url", "api"]}
        icon={Copy}
        onSelect={done(() => void copy(baseUrl))}
      >
        {t("copyBaseUrl")}
      </Item>
      <Item
        value={dark ? t("lightTheme") : t("darkTheme")}
        keywords={["theme", "dark", "light"]}
        icon={dark ? Sun : Moon}
        onSelect={done(() => chooseTheme(dark ? "light" : "dark"))}
      >
        {dark ? t("lightTheme") : t("darkTheme")}
      </Item>
      <Item
        value={t("otherLanguage")}
        keywords={["language", "english", "中文"]}
        icon={Languages}
        onSelect={done(() => run(() => setLocale(other)))}
      >
        {t("otherLanguage")}
      </Item>
      <Item
        value={t("shortcuts")}
        keywords={["keyboard", "help"]}
        icon={KeyboardIcon}
        onSelect={() => showWindow("help")}
      >
        {t("shortcuts")}
      </Item>
      <Item value={t("signOut")} keywords={["logout"]} icon={LogOut} onSelect={done(() => run(signOut))}>
        {t("signOut")}
      </Item>
    </Command.Group>
  );
}

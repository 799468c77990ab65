import { randomUUID } from 'node:crypto';
import {
  createKey,
  createOrganization,
  type KeyKind,
  listAgents,
  listBusinessProfiles,
  listKnowledgeBases,
  listWidgets,
  type Principal,
  type ReplyOf,
  saveAgent,
  saveBusinessProfile,
  saveCatalog,
  saveFaqs,
  saveKnowledgeBase,
  saveWidget,
} from '@parley/contracts';
import type { ServiceBus } from '@parley/messaging';
import {
  type Demo,
  type NamedOrganization,
  readOrganizations,
  readSeeded,
  type Seeded,
  writeDemo,
  writeOrganizations,
} from './demo-file';
import { type Home } from '../home';
import type { Platform } from '../platform';

const ownerCharactersMax = 120;

/** The demo organization: a shop in Pune that newcomers can ask about. Its texts are data, not behaviour. */
const demoOrganization = {
  OrgKeyID: '7b1e0c52-2f7a-4f0e-9a55-6c1f3b2d8e10',
  OrganizationName: 'Demo Bazaar',
  timezone: 'Asia/Kolkata',
  defaultRegion: 'IN',
  owner: { email: 'owner@demo-bazaar.example', name: 'Asha Kulkarni' },
};

const demoKnowledgeBase = {
  KnowledgeBaseName: 'Demo Bazaar',
  IndustryID: 1,
  AgentTypeID: 1,
  ConversationalModeIDs: '1,2',
};

const openDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

const hours = { open_time: '09:30 AM', close_time: '07:00 PM' };

const demoProfile = {
  business_name: 'Demo Bazaar',
  business_type: 'Shop',
  industry: 'Retail',
  office_address: '14 MG Road, Pune',
  support_phone: '+91 20 2550 1234',
  working_hours: [
    ...openDays.map((day) => ({ day, ...hours, is_open: true })),
    { day: 'Sunday' as const, ...hours, is_open: false },
  ],
  timezone: demoOrganization.timezone,
};

const demoFaqs = [
  { Question: 'When are you open?', Answer: 'We are open Monday to Saturday from 9:30 AM to 7:00 PM. On Sundays we are closed.' },
  { Question: 'Where is the shop?', Answer: 'You find us at 14 MG Road, Pune, opposite the main post office.' },
  { Question: 'When do you deliver?', Answer: 'Within three working days in Pune, and within a week elsewhere in India.' },
  { Question: 'How much does delivery cost?', Answer: 'Delivery is free above ₹999; below that it costs ₹60.' },
  { Question: 'How can I pay?', Answer: 'By UPI, card or net banking, or in cash when we deliver.' },
  { Question: 'Can I return a product?', Answer: 'Yes, within 30 days, unused and with the bill. We collect it from your home.' },
  { Question: 'आप कब खुले रहते हैं?', Answer: 'हम सोमवार से शनिवार सुबह 9:30 बजे से शाम 7 बजे तक खुले रहते हैं। रविवार को दुकान बंद रहती है।' },
  { Question: 'डिलीवरी कब होती है?', Answer: 'पुणे में तीन कार्य दिवसों में, और बाकी भारत में एक सप्ताह के भीतर।' },
  { Question: 'तुम्ही कधी उघडे असता?', Answer: 'आम्ही सोमवार ते शनिवार सकाळी 9:30 ते संध्याकाळी 7 पर्यंत उघडे असतो. रविवारी दुकान बंद असते.' },
  { Question: 'माल परत करता येतो का?', Answer: 'हो, 30 दिवसांच्या आत, न वापरलेला आणि बिलासह. आम्ही तो घरून घेऊन जातो.' },
];

const product = (
  product_name: string,
  price: number,
  about: { category: string; product_description: string; warranty?: number },
) => ({
  product_id: null,
  product_name,
  price,
  currency: 'INR',
  availability: true,
  ...about,
});

const demoProducts = [
  product('Steel kettle', 1499, {
    category: 'Kitchen',
    product_description: '1.5 litres, whistles when it boils.',
    warranty: 24,
  }),
  product('Pressure cooker', 2199, {
    category: 'Kitchen',
    product_description: '5 litres, for gas and induction.',
    warranty: 60,
  }),
  product('Mixer grinder', 3499, { category: 'Kitchen', product_description: '750 W with three jars.', warranty: 24 }),
  product('Tawa', 799, { category: 'Kitchen', product_description: 'Cast iron, 28 cm.' }),
  product('Masala box', 649, { category: 'Kitchen', product_description: 'Stainless steel with seven cups.' }),
  product('Water bottle', 399, { category: 'Kitchen', product_description: 'Copper, one litre.' }),
  product('Ceiling fan', 2799, { category: 'Electricals', product_description: '1200 mm, five speeds.', warranty: 24 }),
  product('LED bulb', 149, { category: 'Electricals', product_description: '9 W, warm white.', warranty: 12 }),
  product('Steam iron', 1899, { category: 'Electricals', product_description: '1400 W with a spray.', warranty: 24 }),
  product('Cotton bedsheet', 1299, { category: 'Home', product_description: 'Double, with two pillow covers.' }),
];

const demoServices = [
  {
    service_id: null,
    service_name: 'Home delivery',
    service_description: 'Within three working days in Pune, within a week elsewhere. Free above ₹999.',
    service_duration: 30,
    service_price: 60,
    currency: 'INR',
    booking_required: false,
    service_area: ['Pune', 'Mumbai', 'Nashik', 'Nagpur', 'Delhi', 'Bengaluru', 'Chennai', 'Hyderabad', 'Kolkata'],
  },
  {
    service_id: null,
    service_name: 'Fan installation',
    service_description: 'We take the old fan down and put the new one up.',
    service_duration: 45,
    service_price: 349,
    currency: 'INR',
    booking_required: true,
    service_area: ['Pune'],
  },
];

const demoAgent = {
  TemplateID: 0,
  AgentName: 'Maya',
  AgentDescription:
    'You are Maya, the friendly front desk of Demo Bazaar, a household goods shop in Pune. Answer about products and prices, opening hours, delivery, payment and returns; for anything else, offer to pass the question on.',
  AgentTypeID: 1,
  RegionTypeID: 1,
  TimeZoneID: 1,
  IndustryTypeID: 1,
  LanguageID: 1,
  ToneID: 1,
  IconID: 1,
  Greeting: 'Hello, this is Maya of Demo Bazaar. How can I help you?',
};

/**
 * The demo organization of this home: from the last start, or created through the same messages that clients cause. A start
 * killed halfway leaves no demo.json, and the next one reuses what exists.
 */
export async function demoOf(platform: Platform, home: Home, publicUrl?: string): Promise<Demo> {
  const seeded = readSeeded(home) ?? (await seed(platform.bus));
  const widget = await openDemoWidget(platform.bus, seeded, [...platform.baseUrls, ...(publicUrl ? [publicUrl] : [])]);
  const demo = { ...seeded, widget, baseUrl: platform.baseUrls[0] };
  writeDemo(home, demo);
  return demo;
}

/** A second, empty organization, to show that neither can see the other's data. Created once per home. */
export async function organizationOf({ bus }: Platform, home: Home, name: string): Promise<NamedOrganization> {
  const known = readOrganizations(home);
  const found = known.find(({ OrganizationName }) => OrganizationName === name);
  if (found) return found;
  const email = `owner-${known.length + 2}@organizations.example`;
  const owner = { email, name: `Owner of ${name}`.slice(0, ownerCharactersMax) };
  const { timezone, defaultRegion } = demoOrganization;
  const wanted = { OrgKeyID: randomUUID(), OrganizationName: name, timezone, defaultRegion, owner };
  const organization = await bus.ask(createOrganization, wanted);
  const workspace = { name: 'Workspace', kind: 'wsk', AgentKeyID: null } as const;
  const { key } = await bus.ask(createKey, workspace, { principal: ownerOf(organization) });
  const made = { OrganizationName: name, OrgID: organization.OrgID, workspaceKey: key };
  writeOrganizations(home, [...known, made]);
  return made;
}

function ownerOf(organization: ReplyOf<typeof createOrganization>): Principal {
  return {
    kind: 'wsk',
    keyId: 'start',
    orgId: organization.OrgID,
    memberId: organization.memberAdminID,
    userId: organization.userID,
    roleTypeId: 1,
  };
}

async function seed(bus: ServiceBus): Promise<Seeded> {
  const organization = await bus.ask(createOrganization, demoOrganization);
  const principal = ownerOf(organization);
  const knowledgeBase = await seedKnowledgeBase(bus, principal);
  const agent = await seedAgent(bus, principal, knowledgeBase.KBID);
  const newKey = async (kind: KeyKind, name: string): Promise<string> => {
    const AgentKeyID = kind === 'agt' ? agent.AgentKeyID : null;
    return (await bus.ask(createKey, { name, kind, AgentKeyID }, { principal })).key;
  };
  return {
    workspaceKey: await newKey('wsk', 'Demo workspace'),
    agentKey: await newKey('agt', 'Demo agent'),
    speechKey: await newKey('ext', 'Demo speech'),
    OrgID: organization.OrgID,
    AgentID: agent.AgentID,
    AgentKeyID: agent.AgentKeyID,
    KBID: knowledgeBase.KBID,
    KBKeyID: knowledgeBase.KBKeyID,
  };
}

async function seedKnowledgeBase(bus: ServiceBus, principal: Principal): Promise<{ KBID: number; KBKeyID: string }> {
  const { rows } = await bus.ask(listKnowledgeBases, { searchName: demoKnowledgeBase.KnowledgeBaseName }, { principal });
  const knowledgeBase = rows[0] ?? (await bus.ask(saveKnowledgeBase, demoKnowledgeBase, { principal }));
  if (!rows[0]?.faqCount) {
    const faqs = demoFaqs.map((faq) => ({ KBFAQID: 0, ...faq }));
    await bus.ask(saveFaqs, { KBID: knowledgeBase.KBID, faqs }, { principal });
  }
  if (!rows[0]?.productCount) {
    await bus.ask(saveCatalog, { KBID: knowledgeBase.KBID, products: demoProducts, services: demoServices }, { principal });
  }
  await seedProfile(bus, principal, knowledgeBase.KBID);
  return knowledgeBase;
}

/** Sets the opening hours, so that "are you open now?" is answered by the clock and not by similar text. */
async function seedProfile(bus: ServiceBus, principal: Principal, KBID: number): Promise<void> {
  const { rows } = await bus.ask(listBusinessProfiles, { KBID }, { principal });
  if (rows.length === 0) await bus.ask(saveBusinessProfile, { KBID, businessInfo: demoProfile }, { principal });
}

async function seedAgent(bus: ServiceBus, principal: Principal, KBID: number): Promise<{ AgentID: number; AgentKeyID: string }> {
  const { rows } = await bus.ask(listAgents, { searchName: demoAgent.AgentName }, { principal });
  return rows[0] ?? (await bus.ask(saveAgent, { ...demoAgent, KBID }, { principal }));
}

const name = 'Demo page';

/** Lets pages of these origins talk to the demo agent; returns the public id of its widget. */
async function openDemoWidget(bus: ServiceBus, { OrgID, AgentKeyID }: Seeded, addresses: readonly string[]): Promise<string> {
  const principal: Principal = { kind: 'wsk', keyId: 'start', orgId: OrgID, roleTypeId: 1 };
  const { rows } = await bus.ask(listWidgets, { pageSize: 200, sortColumn: 'CreatedOn', sortOrder: 'ASC' }, { principal });
  const known = rows.find((widget) => widget.name === name && widget.AgentKeyID === AgentKeyID);
  const body = {
    WidgetKeyID: known?.WidgetKeyID ?? null,
    name,
    AgentKeyID,
    allowedOrigins: originsOf(addresses),
    isActive: true,
  };
  return (await bus.ask(saveWidget, body, { principal })).publicId;
}

/** The origins that a browser may send for these addresses; one machine has several names. */
function originsOf(addresses: readonly string[]): string[] {
  const names = addresses.flatMap((address) => {
    const url = new URL(address);
    const isThisMachine = ['127.0.0.1', 'localhost', '0.0.0.0', '[::]'].includes(url.hostname);
    const here = ['127.0.0.1', 'localhost'].map((host) => `${url.protocol}//${host}${url.port && `:${url.port}`}`);
    return [url.origin, ...(isThisMachine ? here : [])];
  });
  return [...new Set(names)];
}

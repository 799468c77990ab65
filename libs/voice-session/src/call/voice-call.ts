import type { ClientFrame } from '@parley/contracts';
import type { HeardEvent, OpenRecognition } from '../hearing/heard';
import type { LogEntry } from '../session/event-log';
import type { EndReason, SessionAction, SessionEvent, SessionState, UntimedEvent } from '../session/events';
import type { SessionSettings } from '../session/settings';
import type { SessionRules } from '../session/talk';
import { VoiceSession } from '../session/voice-session';
import { AnswerRuns, PieceSounds } from './answer-runs';
import { CallerVoice, CallerTimeline } from './caller-voice';
import { type Clock, settledBy } from '../clock';
import type { Keypad, Line, AnswerGenerator, Synthesizer, Recording } from './surroundings';

interface CallDependencies {
  readonly clock: Clock;
  readonly openRecognition: OpenRecognition;
  readonly generator: AnswerGenerator;
  readonly synthesizer: Synthesizer;
  readonly line: Line;
  readonly rules: SessionRules;
  /** Absent: every key is a separate entry. */
  readonly openKeypad?: (entered: (digits: string) => void) => Keypad;
  readonly recording?: Recording;
  /** Receives every event with its time, enough to replay the session. */
  readonly log?: (entry: LogEntry) => void;
}

/** How long to wait for the transcript of a caller's last words after they hung up. */
const lastWordsMs = 8000;

/** What still counts once the call is over. */
const lateEvents: ReadonlySet<string> = new Set<UntimedEvent['kind']>(['heard', 'written', 'typed', 'keyed']);

/** Events waiting to be handled; further ones are dropped, so that a client cannot flood the call. */
const waitingMax = 1000;

/** A live call: feeds events to a session and carries out its actions. All decisions are the session's. */
export class VoiceCall {
  /** Resolves when the call is over and history contains what was heard. Never rejects. */
  readonly finished: Promise<{ reason: EndReason }>;
  private readonly session: VoiceSession;
  private readonly answers: AnswerRuns;
  private readonly sounds: PieceSounds;
  private readonly voice: CallerVoice;
  private readonly keypad: Keypad;
  private readonly startedAtMs: number;
  private readonly waiting: UntimedEvent[] = [];
  private isBusy = false;
  private endedAtMs: number | undefined;
  private soundsUntilMs = 0;
  private alarmAtMs = Number.POSITIVE_INFINITY;
  private forgetAlarm = (): void => undefined;
  private finish: (outcome: { reason: EndReason }) => void = () => undefined;

  private constructor(
    private readonly settings: SessionSettings,
    private readonly dependencies: CallDependencies,
  ) {
    const { clock, generator, synthesizer, rules, log, recording, openKeypad } = dependencies;
    const tell = (event: UntimedEvent): void => this.feed(event);
    const enter = (digits: string): void => this.feed({ kind: 'keyed', digits });
    this.startedAtMs = clock.now();
    this.session = new VoiceSession(settings, rules);
    this.answers = new AnswerRuns(generator, clock, tell);
    this.sounds = new PieceSounds(synthesizer, { sampleRate: settings.sampleRate, isHashed: log !== undefined, tell });
    const hear = (event: HeardEvent): void => this.noticeHeard(event);
    this.voice = new CallerVoice(new CallerTimeline(settings.sampleRate), { recording, heard: hear });
    this.keypad = openKeypad?.(enter) ?? { press: enter, close: () => undefined };
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  /** Opens the call and greets. Sound is buffered until recognition is open. */
  static open(settings: SessionSettings, surroundings: CallDependencies): VoiceCall {
    const call = new VoiceCall(settings, surroundings);
    surroundings.log?.({ kind: 'settings', settings });
    call.voice.open(surroundings.openRecognition);
    call.feed({ kind: 'opened' });
    return call;
  }

  get state(): SessionState {
    return this.session.state;
  }

  /** Frames sent so far, and how many of them were late. */
  get figures(): VoiceSession['figures'] {
    return this.session.figures;
  }

  /** What another replica needs to know of the call. */
  get progress(): VoiceSession['snapshot'] {
    return this.session.snapshotAt(this.endedAtMs ?? this.nowMs);
  }

  /** Settings with which another replica continues this call. */
  get continuation(): SessionSettings {
    return { ...this.settings, ...this.session.snapshot, isContinued: true };
  }

  /** Sound from the caller, 16-bit mono at the rate of the line. */
  hear(samples: Int16Array): void {
    if (this.session.state.kind !== 'ended') this.voice.hear(samples, this.nowMs);
  }

  /** A text frame of the client, other than `session.start` and `ping`. */
  signal(frame: ClientFrame): void {
    if (frame.type === 'text') this.feed({ kind: 'typed', text: frame.text });
    if (frame.type === 'dtmf') this.press(frame.digit, 'message');
    if (frame.type === 'interrupt') this.feed({ kind: 'interrupt' });
    if (frame.type === 'playback') this.feed({ kind: 'playback', playedMs: frame.playedMs });
    if (frame.type === 'session.end') this.feed({ kind: 'end', reason: 'ENDED_BY_USER' });
  }

  /** The line reports that everything before this mark was played. */
  markPlayed(name: string): void {
    this.feed({ kind: 'marked', name });
  }

  hold(): void {
    this.feed({ kind: 'hold' });
  }

  resume(): void {
    this.feed({ kind: 'resume' });
  }

  /** Finishes the current sentence, then asks the line to transfer the caller; the agent is silent meanwhile. */
  transfer(to: string): void {
    this.feed({ kind: 'transfer', to });
  }

  /** The transfer was not answered: the agent says so and continues. */
  transferFailed(): void {
    this.feed({ kind: 'transfer-failed' });
  }

  /** Ends at the next turn boundary, so that another replica can continue. */
  drain(): void {
    this.feed({ kind: 'drain' });
  }

  /** Tells the caller that the call has to end, and ends it. */
  creditsExhausted(): void {
    this.feed({ kind: 'credits-exhausted' });
  }

  end(reason: EndReason): void {
    this.feed({ kind: 'end', reason });
  }

  private get nowMs(): number {
    return this.dependencies.clock.now() - this.startedAtMs;
  }

  private press(digit: string, source: 'tone' | 'message'): void {
    this.feed({ kind: 'key', digit });
    if (this.settings.hearsDigits && this.session.state.kind !== 'ended') this.keypad.press(digit, source);
  }

  private noticeHeard(heard: HeardEvent): void {
    if (heard.kind === 'digit') this.press(heard.digit, 'tone');
    else this.feed({ kind: 'heard', heard });
  }

  /** Handles an event. Those caused by its actions wait until it is finished. */
  private feed(event: UntimedEvent): void {
    if (this.session.state.kind === 'ended' && !lateEvents.has(event.kind)) return;
    if (this.waiting.length >= waitingMax) return;
    this.waiting.push(event);
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) this.handle({ ...next, nowMs: this.nowMs });
    } finally {
      this.isBusy = false;
    }
    this.setAlarm();
  }

  private handle(event: SessionEvent): void {
    this.dependencies.log?.({ kind: 'event', event });
    for (const action of this.session.handle(event)) this.perform(action);
  }

  private perform(action: SessionAction): void {
    const { line } = this.dependencies;
    switch (action.kind) {
      case 'tell':
        return line.tell(action.frame);
      case 'play':
        return this.play(action);
      case 'clear':
        return this.clear();
      case 'mark':
        return line.mark(action.name);
      case 'speak':
        return this.sounds.speak(action);
      case 'forget':
        return this.sounds.forget(action.piece);
      case 'answer':
        return this.answers.ask(action);
      case 'stop-answer':
        return this.answers.stop(action.answer);
      case 'discard':
        return this.answers.discard(action.answer);
      case 'keep-heard':
        return this.answers.keepHeard(action.heard);
      case 'keep-heard-so-far':
        return this.answers.keepHeardSoFar(action.heard);
      case 'keep-latency':
        return this.answers.keepLatency(action.turn);
      case 'keep-unanswered':
        return this.answers.keepUnanswered(action.question);
      case 'finish-turn':
        return this.voice.finishTurn();
      case 'guess-now':
        return this.voice.guessNow();
      case 'judge-end':
        return this.voice.judgeEnd();
      case 'transfer':
        return line.transfer(action.to);
      case 'end':
        return this.close(action.reason);
    }
  }

  private play({ slices, padding }: Extract<SessionAction, { kind: 'play' }>): void {
    const samples = this.sounds.join(slices, padding);
    const { nowMs } = this;
    const isContinued = this.soundsUntilMs > nowMs;
    const atMs = isContinued ? this.soundsUntilMs : nowMs;
    this.soundsUntilMs = atMs + (samples.length * 1000) / this.settings.sampleRate;
    this.dependencies.recording?.agent(samples, atMs);
    this.voice.noticeOwnVoice(samples, isContinued ? undefined : atMs);
    this.dependencies.line.play(samples);
  }

  private clear(): void {
    this.soundsUntilMs = Math.min(this.soundsUntilMs, this.nowMs);
    this.dependencies.recording?.agentSilenced(this.nowMs);
    this.dependencies.line.clear();
  }

  private setAlarm(): void {
    const wakeAtMs = this.session.nextWakeMs;
    if (wakeAtMs === this.alarmAtMs) return;
    this.forgetAlarm();
    this.forgetAlarm = () => undefined;
    this.alarmAtMs = wakeAtMs;
    if (!Number.isFinite(wakeAtMs)) return;
    this.forgetAlarm = this.dependencies.clock.wakeAt(this.startedAtMs + wakeAtMs, () => this.wake());
  }

  private wake(): void {
    this.alarmAtMs = Number.POSITIVE_INFINITY;
    this.feed({ kind: 'woke' });
  }

  private close(reason: EndReason): void {
    this.endedAtMs = this.nowMs;
    this.keypad.close();
    this.sounds.close();
    this.answers.close();
    this.dependencies.line.end(reason);
    void this.hearOut(reason).then(() => this.finish({ reason }));
  }

  /** Waits for the transcript of the last words, unless the call continues at another replica or voicemail answered. */
  private async hearOut(reason: EndReason): Promise<void> {
    if (reason !== 'DRAINED' && reason !== 'VOICEMAIL') {
      await settledBy(this.dependencies.clock, lastWordsMs, this.voice.finish());
      this.feed({ kind: 'written' });
    }
    this.voice.close();
    await settledBy(this.dependencies.clock, lastWordsMs, this.answers.settled());
  }
}

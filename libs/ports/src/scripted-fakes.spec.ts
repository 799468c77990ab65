import { ScriptedEmbeddings, ScriptedFileStore, ScriptedVectorStore } from '.';
import { describeEmbeddings, describeFileStore, describeVectorStore } from './suites';

describeEmbeddings('the scripted fake', () => new ScriptedEmbeddings());
describeFileStore('the scripted fake', () => new ScriptedFileStore());
describeVectorStore('the scripted fake', () => new ScriptedVectorStore());

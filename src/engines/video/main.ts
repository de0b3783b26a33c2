import { serveJobs } from '../serve.ts'
import { processVideo } from './process.ts'

serveJobs({ 'videos/process': processVideo })
